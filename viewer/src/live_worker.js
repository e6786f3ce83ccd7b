// live_worker.js: the library in a thread of its own, so that the page stays alive while it computes.
//
// Messages in: {library} or {module}, with {files}, once, then {task}; out: {ready}, {part} of an answer, {answer} or
// {failed}. What was compiled once ({ready}) serves other threads as a {module}. A {trial} is a task whose answer nobody
// wants: browsers compile what runs often once more, and well, and then the first change need not wait for that.
//
// Two threads share a task where there are two processors. They talk over a {port}, past the page, which is busy with
// drawing when it matters: one runs, the other one ({beside}) runs the companion that the run is verified by.
import { Library } from "./library.js";

const firstPart = 40; // [ms] after which a part of an answer is told
const longTrial = 150; // [ms] after which a trial ends
const longest = [10, 1, 3]; // [s] of a companion: at first; later at least, and times as long as the run before

let library = null;
let module = null;
/** @type {Record<string, string | Uint8Array>} */
let files = {};
let port = null; // to the other thread
let asked = 0; // companions so far
let heard = null; // takes what the one that is asked for last has found
let ran = 0; // [s] that the last run took

async function start({ library: bytes, module: given, files: included, trial }) {
  const plain = bytes && (await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  module = given ?? (await WebAssembly.compile(plain));
  files = included;
  library = new Library(module, files);
  try {
    if (trial) library.run(trial, { after: longTrial, tell: () => false });
  } catch {
    library = new Library(module, files);
  }
  postMessage({ ready: module });
}

// @ts-ignore: the worker's own function
const give = (kind, answer) => postMessage({ [kind]: answer }, answer.numbers ? [answer.numbers] : []);

async function carryOut(task) {
  const number = ++asked;
  const found = port && new Promise((done) => (heard = done));
  port?.postMessage({ task, number, seconds: ran ? Math.max(longest[1], longest[2] * ran) : longest[0] });
  let answer = library.run(task, { after: firstPart, tell: (part) => give("part", part) }, !!port);
  ran = answer.took / 1000;
  if (answer.waiting) {
    const numbers = await found;
    if (number !== asked) return; // there is another task by now
    answer = library.verify(numbers);
  }
  give("answer", answer);
}

/** the other thread's part: companions */
function runBeside({ task, number, seconds }) {
  let numbers = null;
  try {
    numbers = library.companion(task, seconds);
  } catch {
    library = new Library(module, files);
  }
  port.postMessage({ number, numbers }, numbers ? [numbers.buffer] : []);
}

// a run that hurt the library's memory: nothing it says later can be trusted
const failed = (error) => postMessage({ failed: String(error?.message ?? error) });

/** a port to the other thread; null: there is none any more */
function connect(other) {
  port = other;
  if (!port) return heard?.(null);
  port.onmessage = ({ data }) => {
    if (data.number === asked) heard(data.numbers);
  };
  return undefined;
}

onmessage = ({ data }) => {
  if (data.beside) {
    port = data.port;
    // what is asked for before the library is there waits until then
    start(data).then(() => (port.onmessage = (e) => runBeside(e.data))).catch(failed);
  } else if ("port" in data) connect(data.port);
  else if (data.files) start(data).catch(failed);
  else carryOut(data.task).catch(failed);
};
