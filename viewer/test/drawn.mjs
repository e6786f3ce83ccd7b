// drawn.mjs: what is drawn is where it is: parts of machines, stops and limits, bodies that bend.

const still = { hash: "#still", width: 900, height: 560 };

/** how far teeth that mesh are from standing tooth in gap, in pitches, from where they are all along the run */
const colliding = (page) => page.evaluate(() => {
  const { viewer, player } = window.holon;
  const { gears } = viewer.parts;
  const unit = (x) => x.map((v) => v / Math.hypot(...x));
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  // rotated by a quaternion, scalar first
  const turned = ([w, ...u], x) => {
    const c = cross(u, x);
    const d = cross(u, c);
    return x.map((v, k) => v + 2 * (w * c[k] + d[k]));
  };
  let most = 0;
  for (let k = 0; k <= 20; k++) {
    window.holon.seek(player.start + (k / 20) * (player.end - player.start));
    const seen = (w) => {
      const p = viewer.bodyPose(viewer.report.model.bodies[w.body].name);
      const e = w.place.elements;
      const centre = turned(p.orientation, w.at).map((v, i) => v + p.position[i]);
      return { centre, x: turned(p.orientation, [e[0], e[1], e[2]]), y: turned(p.orientation, [e[4], e[5], e[6]]), z: turned(p.orientation, [e[8], e[9], e[10]]) };
    };
    for (const [v, w] of gears.meshes) {
      const [a, b] = [seen(v), seen(w)];
      const way = b.centre.map((c, i) => c - a.centre[i]);
      const across = unit(way.map((c, i) => c - dot(way, a.z) * a.z[i]));
      // from the wheel's tooth to the pitch point, counted about a's axis
      const part = (g, s, to) => ((Math.sign(dot(s.z, a.z)) * (Math.atan2(dot(to, s.y), dot(to, s.x)) - g.phase)) * g.teeth) / (2 * Math.PI);
      const sum = part(v, a, across) + part(w, b, across.map((c) => -c));
      most = Math.max(most, Math.abs(sum - 0.5 - Math.round(sum - 0.5)));
    }
  }
  return most;
});

const train = `name: train
simulation: {duration: 1, output_step: 0.01}
bodies:
  pinion: {shape: {cylinder: {radius: 20 mm, length: 20 mm, axis: y, material: steel}}}
  layshaft:
    position: [100 mm, 0, 0]
    shapes:
      - cylinder: {radius: 80 mm, length: 20 mm, axis: y, material: steel}
      - cylinder: {radius: 30 mm, length: 30 mm, axis: -y, position: [0, 30 mm, 0], material: steel}
  wheel: {position: ["100 mm + 135 mm*cos(47 deg)", 33 mm, 135 mm*sin(47 deg)], shape: {cylinder: {radius: 105 mm, length: 25 mm, axis: y, material: steel}}}
joints:
  a: {type: revolute, b: pinion, axis: y}
  b: {type: revolute, b: layshaft, axis: y}
  c: {type: revolute, b: wheel, axis: y, rate: 2}
  ab: {type: gear, joint_a: a, joint_b: b, ratio: -1/4}
  bc: {type: gear, joint_a: b, joint_b: c, ratio: -30/105}
`;

/** what machines are made of: throws, bores, teeth, ground, runners that keep to their rails */
async function machines({ run, visit, check, near, seek, write, model }) {
  const keys = (page) => page.evaluate(() => window.holon.viewer.parts.list.map((p) => p.key.split(" ")[0]));
  const has = (list, key, count) => list.filter((k) => k === key).length === count;
  run("run", model("four_cylinder_engine"), "--html", "engine.html", "-q");
  await visit("engine.html", still, async (page) => {
    const list = await keys(page);
    check(has(list, "web", 8) && has(list, "crank", 4), "the crankshaft has no four throws");
    check(has(list, "bore", 4), "pistons have no bores");
    await seek(page, 0.01);
  }, "engine");
  run("run", model("planetary_gear"), "--html", "gear.html", "-q");
  await visit("gear.html", still, async (page) => {
    const wheels = await page.evaluate(() => {
      const { gears } = window.holon.viewer.parts;
      return { teeth: [...gears.wheels.values()].map((w) => w.teeth), ring: gears.rings.map((r) => r.teeth) };
    });
    check(wheels.teeth.join() === "24,24,24,24" && wheels.ring.join() === "72", `teeth: ${wheels.teeth} in ${wheels.ring}`);
    near(await colliding(page), 0, 0.02, "parts of their pitch by which teeth run into each other");
  }, "gear");
  // two stages in space: a shaft with two wheels, beside each other along their axes, one of them seen from behind
  write("train.yaml", train);
  run("run", "train.yaml", "--html", "train.html", "-q");
  await visit("train.html", still, async (page) => {
    const wheels = await page.evaluate(() => [...window.holon.viewer.parts.gears.wheels.values()].map((w) => `${w.radius}:${w.teeth}`));
    check(wheels.join() === "0.02:24,0.08:96,0.03:24,0.105:84", `wheels and their teeth: ${wheels}`);
    check(has(await keys(page), "gear", 4), "wheels of a shaft with two of them have no teeth");
    near(await colliding(page), 0, 0.02, "parts of their pitch by which teeth of the second stage run into each other");
  }, "train");
  run("run", model("jansen_walker"), "--html", "walker.html", "-q");
  await visit("walker.html", still, async (page) => {
    const state = await page.evaluate(() => ({ floor: window.holon.viewer.size.floor, flat: window.holon.viewer.stage.flat }));
    // feet are recorded when they have sunk in by a little
    near(state.floor, 0, 1e-4, "the height of the ground under the feet");
    check(state.flat, "a planar mechanism is drawn in perspective");
  }, "walker");
  run("run", model("double_scott_russell"), "--html", "runners.html", "-q");
  await visit("runners.html", still, async (page) => {
    const turned = await page.evaluate(() => {
      const { viewer } = window.holon;
      window.holon.seek(3);
      const mesh = viewer.mechanism.meshes.find((m) => m.userData.parts.some((p) => p.rider));
      return Math.max(...mesh.userData.parts.map((p, i) => Math.abs(mesh.instanceMatrix.array[16 * i + 9])));
    });
    near(turned, 0, 1e-6, "a runner is turned out of its rail");
  });
}

const limited = `name: limits
gravity: [0, -9.81]
simulation: {duration: 1, output_step: 0.01}
bodies:
  arm: {type: planar, from: [0, 0], to: [0.5, 0], mass: 1, shape: {rod: {radius: 0.02}}}
  block: {type: planar, position: [1.2, 0], mass: 1, velocity: [1, 0], shape: {box: {size: [0.2, 0.1, 0.1]}}}
joints:
  hinge: {type: revolute, b: arm, at: [0, 0], limits: [-40 deg, 20 deg], restitution: 0.5}
  slide: {type: prismatic, b: block, at: [1.2, 0], axis: [1, 0], limits: [-0.2, 0.4], restitution: 0.8}
`;

/** at its limit a body touches what is drawn there */
async function limits({ run, visit, check, near, write, model }) {
  write("limits.yaml", limited);
  run("run", "limits.yaml", "--html", "limits.html", "-q");
  await visit("limits.html", still, async (page) => {
    const { w, found } = await page.evaluate(() => {
      const { parts } = window.holon.viewer;
      const at = (p) => [p.element.name, p.key.split(" ")[0], p.matrix.elements[12], p.matrix.elements[13]];
      return { w: parts.w, found: parts.list.filter((p) => p.element?.type === "limit").map(at) };
    });
    const place = (name, key) => found.find((f) => f[0] === name && f[1] === key)?.slice(2) ?? [NaN, NaN];
    // faces of the block at 1.2 - 0.2 - 0.1 and 1.2 + 0.4 + 0.1; plates are 0.4 w thick
    near(place("slide.lower", "plate")[0], 0.9 - 0.2 * w, 1e-6, "the plate at the lower end of a slide");
    near(place("slide.upper", "plate")[0], 1.7 + 0.2 * w, 1e-6, "the plate at its upper end");
    // a post of radius 0.4 w touches the bar of radius 0.02, on the far side of it
    for (const [name, degrees, side] of [["hinge.lower", -40, -1], ["hinge.upper", 20, 1]]) {
      const [x, y] = place(name, "post");
      const angle = (degrees * Math.PI) / 180;
      near(y * Math.cos(angle) - x * Math.sin(angle), side * (0.02 + 0.4 * w), 1e-6, `how far the post of ${name} is from the bar`);
    }
    check(found.length === 6, `${found.length} pieces for four limits`);
    await page.evaluate(() => window.holon.seek(0.9));
  }, "limits");
  // planes of stops lie under the whole motion
  for (const name of ["bouncing_ball", "block_on_slope"]) {
    run("run", model(name), "--html", `${name}.html`, "-q");
    await visit(`${name}.html`, still, async (page) => {
      const out = await page.evaluate(() => {
        const { floor, size, frames } = window.holon.viewer;
        const [{ mesh }] = floor.moving;
        mesh.geometry.computeBoundingBox();
        const half = mesh.geometry.boundingBox.max;
        const inverse = mesh.matrix.clone().invert();
        let most = 0;
        for (let i = 0; i < frames.count; i++) {
          const p = size.centre.clone().set(...frames.pose.slice(7 * i * frames.bodies, 7 * i * frames.bodies + 3)).applyMatrix4(inverse);
          const part = Math.min(half.x, half.y) === half.x ? Math.abs(p.y) / half.y : Math.abs(p.x) / half.x;
          most = Math.max(most, part);
        }
        return most;
      });
      check(out < 1, `${name}: the body leaves the plane it lies on (${out.toFixed(2)} of its half length)`);
    });
  }
}

/** ground that wheels touch is where they touch it: all around in space, a slab in the plane */
async function roads({ run, visit, check, near, model }) {
  run("run", model("iltis_kerb"), "--html", "iltis.html", "-q");
  await visit("iltis.html", still, async (page) => {
    const { plane, slabs } = await page.evaluate(() => ({ plane: window.holon.viewer.size.plane?.point.z, slabs: window.holon.viewer.floor.moving.length }));
    near(plane, 0, 1e-12, "the height of the road");
    check(slabs === 0, `${slabs} slabs on a road that is drawn all around`);
  }, "iltis");
  run("run", model("kerb"), "--html", "kerb.html", "-q");
  await visit("kerb.html", still, async (page) => {
    const tops = await page.evaluate(() =>
      window.holon.viewer.floor.moving.map(({ mesh }) => {
        mesh.geometry.computeBoundingBox();
        return mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrix).max.y;
      }),
    );
    check(tops.length === 1, `${tops.length} slabs for one road`);
    near(tops[0], 0, 1e-9, "the top of the road");
  }, "kerb");
}

/** beams pass through their recorded nodes and keep their length; flexible bodies end where the next one begins */
async function bending({ run, visit, check, near, seek, table, model }) {
  run("run", model("cantilever_roll_up"), "--html", "beam.html", "--out", "beam.csv", "-q");
  const beam = table("beam.csv");
  await visit("beam.html", still, async (page) => {
    for (const row of [0, Math.round(0.5 * beam.rows.length), beam.rows.length - 1]) {
      await seek(page, beam.value(row, "time"));
      const rings = await page.evaluate(() => {
        const [{ positions, elements }] = window.holon.viewer.beams.list;
        const sides = 12;
        const count = positions.length / 3 / sides;
        const middle = (i, axis) => Array.from({ length: sides }, (_, k) => positions[3 * (i * sides + k) + axis]).reduce((a, b) => a + b) / sides;
        return { elements, points: Array.from({ length: count }, (_, i) => [0, 1].map((axis) => middle(i, axis))) };
      });
      const per = (rings.points.length - 1) / rings.elements;
      for (let node = 0; node <= rings.elements; node++)
        ["x", "y"].forEach((axis, k) => near(rings.points[node * per][k], beam.value(row, `strip.${["start", "node1", "node2", "node3", "end"][node]}.${axis}`), 1e-5, `row ${row}, node ${node}, ${axis}`));
      const length = rings.points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p[0] - rings.points[i][0], p[1] - rings.points[i][1]), 0);
      near(length, 10, 0.03, `the drawn length in row ${row}`); // pieces are straight
    }
  }, "beam");
  run("run", model("flexible_rod_slider_crank"), "--html", "flexible.html", "--out", "flexible.csv", "-q");
  const rod = table("flexible.csv");
  await visit("flexible.html", still, async (page) => {
    let bent = 0;
    for (const part of [0, 0.4, 0.7, 1]) {
      const row = Math.round(part * (rod.rows.length - 1));
      await seek(page, rod.value(row, "time"));
      const drawn = await page.evaluate(() => {
        const { viewer } = window.holon;
        const [one] = viewer.deformed.list;
        const ends = [Infinity, -Infinity];
        for (let i = 0; i < one.corners.length; i += 3) (ends[0] = Math.min(ends[0], one.corners[i])), (ends[1] = Math.max(ends[1], one.corners[i]));
        const p = viewer.size.centre.clone();
        const middle = ends.map((x) => {
          const sum = [0, 0, 0, 0];
          for (let i = 0; i < one.corners.length; i += 3) {
            if (Math.abs(one.corners[i] - x) > 1e-6) continue;
            p.set(one.positions[i], one.positions[i + 1], one.positions[i + 2]).applyMatrix4(one.mesh.matrix);
            [p.x, p.y, p.z, 1].forEach((v, k) => (sum[k] += v));
          }
          return sum.slice(0, 3).map((v) => v / sum[3]);
        });
        return { middle, moved: Math.max(...one.moved) };
      });
      bent = Math.max(bent, drawn.moved);
      ["x", "y", "z"].forEach((axis, k) => near(drawn.middle[1][k], rod.value(row, `slider.${axis}`), 2e-4, `row ${row}, the rod's end, ${axis}`));
    }
    // the model says: by half a centimetre
    check(bent > 0.002 && bent < 0.02, `the rod bends by ${bent} m`);
  }, "flexible");
}

export async function drawn(harness) {
  await machines(harness);
  await limits(harness);
  await roads(harness);
  await bending(harness);
}
