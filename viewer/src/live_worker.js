// live_worker.js: the library in a thread of its own, so that the page stays alive while it computes.
//
// Messages in: {library} or {module}, with {files}, once, then {task}; out: {ready}, {part} of an answer, {answer} or
// {failed}. What was compiled once ({ready}) serves other threads as a {module}. A {trial} is a task whose answer nobody
// wants: browsers compile what runs often once more, and well, and then the first change need not wait for that.
import { Library } from "./library.js";

const firstPart = 25; // [ms] after which a part of an answer is told
const longTrial = 150; // [ms] after which a trial ends

let library = null;

async function start({ library: bytes, module, files, trial }) {
  const plain = bytes && (await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const compiled = module ?? (await WebAssembly.compile(plain));
  library = new Library(compiled, files);
  try {
    if (trial) library.run(trial, { after: longTrial, tell: () => false });
  } catch {
    library = new Library(compiled, files);
  }
  postMessage({ ready: compiled });
}

// @ts-ignore: the worker's own function
const give = (kind, answer) => postMessage({ [kind]: answer }, answer.numbers ? [answer.numbers] : []);

onmessage = ({ data }) => {
  if (data.files) start(data).catch((error) => postMessage({ failed: String(error?.message ?? error) }));
  else {
    try {
      give("answer", library.run(data.task, { after: firstPart, tell: (part) => give("part", part) }));
    } catch (error) {
      // a run that hurt the library's memory: nothing it says later can be trusted
      postMessage({ failed: String(error?.message ?? error) });
    }
  }
};
