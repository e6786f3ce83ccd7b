// live_worker.js: the library in a thread of its own, so that the page stays alive while it computes.
//
// Messages in: {library, files} once, then {task}; out: {ready}, {answer} or {failed}.
import { Library } from "./library.js";

let library = null;

async function start({ library: bytes, files }) {
  const plain = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  library = new Library(await WebAssembly.compile(plain), files);
  postMessage({ ready: true });
}

function run(task) {
  const answer = library.run(task);
  // @ts-ignore: the worker's own function
  postMessage({ answer }, answer.numbers ? [answer.numbers] : []);
}

onmessage = ({ data }) => {
  if (data.library) start(data).catch((error) => postMessage({ failed: String(error?.message ?? error) }));
  else {
    try {
      run(data.task);
    } catch (error) {
      // a run that hurt the library's memory: nothing it says later can be trusted
      postMessage({ failed: String(error?.message ?? error) });
    }
  }
};
