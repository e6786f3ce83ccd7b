// Numbers of an independent engine (MuJoCo, npm package @mujoco/mujoco) for the robot files beside.
//
// usage: npm install @mujoco/mujoco && node reference.mjs OUT [NAME...]
//
// For every file: the mass matrix, bias and applied forces, and the accelerations of the exact
// equations (constraints as rows of a saddle-point system, not MuJoCo's soft ones) at the start and
// at two random states that satisfy the constraints. NAME.extra holds what MuJoCo cannot read in
// the file itself, as MJCF to be put into the model; NAME.oracle is another file read in its place.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import load from "@mujoco/mujoco";

const here = path.dirname(fileURLToPath(import.meta.url));
const [out, ...names] = process.argv.slice(2);
const mujoco = await load();
const JOINT = ["free", "ball", "slide", "hinge"];
const DISABLE = { frictionloss: 1 << 2, limit: 1 << 3, contact: 1 << 4 };

// ---- random numbers that are always the same ----

function generator(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 31 - 1;
  };
}

const hash = (text) => [...text].reduce((h, c) => Math.imul(h ^ c.charCodeAt(0), 16777619), 2166136261);

// ---- small dense algebra ----

// least-squares solution of A x = b by normal equations with complete pivoting; rows that repeat
// others are left out
function solve(A, b) {
  const n = b.length, M = A.map((r) => [...r]), y = [...b], order = [...Array(n).keys()];
  let rank = 0;
  for (; rank < n; rank++) {
    let best = 0, pi = -1, pj = -1;
    for (let i = rank; i < n; i++)
      for (let j = rank; j < n; j++)
        if (Math.abs(M[i][j]) > best) [best, pi, pj] = [Math.abs(M[i][j]), i, j];
    if (best < 1e-11) break;
    [M[rank], M[pi]] = [M[pi], M[rank]];
    [y[rank], y[pi]] = [y[pi], y[rank]];
    for (const row of M) [row[rank], row[pj]] = [row[pj], row[rank]];
    [order[rank], order[pj]] = [order[pj], order[rank]];
    for (let i = rank + 1; i < n; i++) {
      const f = M[i][rank] / M[rank][rank];
      if (f === 0) continue;
      for (let j = rank; j < n; j++) M[i][j] -= f * M[rank][j];
      y[i] -= f * y[rank];
    }
  }
  const x = Array(n).fill(0);
  for (let i = rank - 1; i >= 0; i--) {
    let s = y[i];
    for (let j = i + 1; j < rank; j++) s -= M[i][j] * x[order[j]];
    x[order[i]] = s / M[i][i];
  }
  return x;
}

const times = (A, x) => A.map((r) => r.reduce((s, a, i) => s + a * x[i], 0));
const transposed = (A, n) => [...Array(n).keys()].map((j) => A.map((r) => r[j]));

// x with A x = b that is smallest in the metric of M: x = M^-1 A^T (A M^-1 A^T)^-1 b
function saddle(M, A, f, g) {
  const n = M.length, m = A.length;
  const K = [], b = [...f, ...g];
  for (let i = 0; i < n; i++) K.push([...M[i], ...A.map((r) => r[i])]);
  for (let i = 0; i < m; i++) K.push([...A[i], ...Array(m).fill(0)]);
  return solve(K, b).slice(0, n);
}

// ---- one model ----

function readModel(name, file) {
  const files = fs.readdirSync(here).filter((f) => /\.(xml|urdf|stl|obj|part)$/.test(f));
  mujoco.FS.mkdirTree?.("/robots");
  for (const f of files) mujoco.FS.writeFile(`/robots/${f}`, fs.readFileSync(path.join(here, f)));
  const oracle = path.join(here, `${name}.oracle`);
  if (fs.existsSync(oracle)) {
    mujoco.FS.writeFile("/robots/oracle.xml", fs.readFileSync(oracle));
    return mujoco.MjModel.mj_loadXML("/robots/oracle.xml");
  }
  const model = mujoco.MjModel.mj_loadXML(`/robots/${file}`);
  const extra = path.join(here, `${name}.extra`);
  if (!fs.existsSync(extra)) return model;
  mujoco.mj_saveLastXML("/robots/saved.xml", model);
  const text = new TextDecoder().decode(mujoco.FS.readFile("/robots/saved.xml"));
  mujoco.FS.writeFile("/robots/saved.xml", text.replace("</mujoco>", fs.readFileSync(extra, "utf8") + "</mujoco>"));
  return mujoco.MjModel.mj_loadXML("/robots/saved.xml");
}

function nameOf(model, type, id) {
  return mujoco.mj_id2name(model, type, id);
}

// rows of the equality constraints: Jacobian and violation
function rows(model, data) {
  mujoco.mj_forward(model, data);
  const n = model.nv, J = [], pos = [];
  for (let i = 0; i < data.nefc; i++) {
    if (data.efc_type[i] !== 0) continue;
    J.push(Array.from(data.efc_J.slice(i * n, (i + 1) * n)));
    pos.push(data.efc_pos[i]);
  }
  return { J, pos };
}

function massMatrix(model, data) {
  const n = model.nv, M = [...Array(n)].map(() => Array(n).fill(0));
  const buffer = new mujoco.DoubleBuffer(n * n);
  mujoco.mj_fullM(model, data, buffer);
  const view = buffer.GetView();
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) M[i][j] = view[i * n + j];
  buffer.delete?.();
  return M;
}

function moved(model, q, v, h) {
  const buffer = mujoco.DoubleBuffer.FromArray(Array.from(q));
  mujoco.mj_integratePos(model, buffer, Array.from(v), h);
  const r = Array.from(buffer.GetView());
  buffer.delete?.();
  return r;
}

function setState(model, data, q, v) {
  for (let i = 0; i < model.nq; i++) data.qpos[i] = q[i];
  for (let i = 0; i < model.nv; i++) data.qvel[i] = v[i];
}

// onto the constraints, positions and then velocities
function project(model, data) {
  for (let k = 0; k < 60; k++) {
    const { J, pos } = rows(model, data);
    if (!J.length) return;
    const size = Math.max(...pos.map(Math.abs));
    const M = massMatrix(model, data);
    if (size < 1e-14) break;
    const d = saddle(M, J, Array(model.nv).fill(0), pos.map((x) => -x));
    setState(model, data, moved(model, data.qpos, d, 1), data.qvel);
  }
  const { J } = rows(model, data), M = massMatrix(model, data), v = Array.from(data.qvel);
  const d = saddle(M, J, Array(model.nv).fill(0), times(J, v).map((x) => -x));
  setState(model, data, data.qpos, v.map((x, i) => x + d[i]));
}

function evaluate(model, data) {
  const q = Array.from(data.qpos), v = Array.from(data.qvel), h = 1e-3;
  const at = (s) => {
    setState(model, data, moved(model, q, v, s * h), v);
    const { J } = rows(model, data);
    return times(J, v);
  };
  const [a, b, c, d] = [at(2), at(1), at(-1), at(-2)];
  const Jdotv = a.map((x, i) => (-x + 8 * b[i] - 8 * c[i] + d[i]) / (12 * h));
  setState(model, data, q, v);
  const { J } = rows(model, data);
  const M = massMatrix(model, data);
  const bias = Array.from(data.qfrc_bias);
  const force = bias.map((_, i) => data.qfrc_passive[i] + data.qfrc_actuator[i]);
  const acc = saddle(M, J, force.map((f, i) => f - bias[i]), Jdotv.map((x) => -x));
  return { q, v, M, bias, force, acc, sensor: Array.from(data.sensordata) };
}

// ---- files ----

const text = (x) => Array.from(x, (y) => (y === 0 ? "0" : String(y))).join(" ");

function reference(name, file) {
  const model = readModel(name, file);
  const data = new mujoco.MjData(model);
  const random = generator(hash(name));
  model.opt.disableflags |= DISABLE.frictionloss | DISABLE.limit | DISABLE.contact;
  model.opt.jacobian = 0;
  const lines = [`robot ${file}`, `gravity ${text(model.opt.gravity)}`];
  for (let i = 0; i < model.njnt; i++) lines.push(`joint ${nameOf(model, 3, i) || "-"}|${JOINT[model.jnt_type[i]]}|${nameOf(model, 1, model.jnt_bodyid[i])}`);
  for (let i = 0; i < model.nu; i++) lines.push(`actuator ${nameOf(model, 19, i) || "-"}`);
  for (let state = 0; state < 3; state++) {
    if (model.nkey) mujoco.mj_resetDataKeyframe(model, data, 0);
    else mujoco.mj_resetData(model, data);
    if (state) {
      const q = Array.from(data.qpos), d = Array.from({ length: model.nv }, () => 0.6 * random());
      setState(model, data, moved(model, q, d, 1), Array.from({ length: model.nv }, () => 1.5 * random()));
      for (let i = 0; i < model.nu; i++) data.ctrl[i] = 2 * random();
      for (let i = 0; i < model.na; i++) data.act[i] = random();
    }
    const { pos } = rows(model, data);
    const off = pos.some((x) => Math.abs(x) > 1e-12);
    if (off) project(model, data);
    const e = evaluate(model, data);
    lines.push(`state ${state}${off ? " projected" : ""}`, `qpos ${text(e.q)}`, `qvel ${text(e.v)}`);
    if (model.nu) lines.push(`ctrl ${text(data.ctrl)}`);
    if (model.na) lines.push(`act ${text(data.act)}`, `actdot ${text(data.act_dot)}`);
    lines.push(`mass ${text(e.M.flat())}`, `bias ${text(e.bias)}`, `force ${text(e.force)}`, `acc ${text(e.acc)}`);
  }
  model.delete?.();
  return lines.join("\n") + "\n";
}

const all = fs.readdirSync(here).filter((f) => /\.(xml|urdf|sdf)$/.test(f)).sort();
for (const file of all) {
  const name = file.replace(/\.(xml|urdf|sdf)$/, "");
  if (names.length && !names.includes(name)) continue;
  try {
    fs.writeFileSync(path.join(out, `${name}.txt`), reference(name, file));
  } catch (error) {
    console.log(`${file}: ${error.message ?? mujoco.getExceptionMessage?.(error) ?? error}`);
  }
}
