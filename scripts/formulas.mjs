// formulas.mjs: LaTeX made into HTML and MathML by KaTeX, for scripts/docs.py.
//
//   node formulas.mjs KATEX_JS <formulas.json >answers.json
//
// formulas: [{text, display}]. answers, in the same order: {html}, or {error, at} where KaTeX refuses a formula,
// `at` being the place of the mistake in its text.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const katex = createRequire(import.meta.url)(process.argv[2]);

const answers = JSON.parse(readFileSync(0, "utf8")).map(({ text, display }) => {
  try {
    return { html: katex.renderToString(text, { displayMode: display, fleqn: true, output: "htmlAndMathml", strict: "error", throwOnError: true }) };
  } catch (error) {
    if (!(error instanceof katex.ParseError)) throw error;
    // the place is told by file and line: what it quotes around the place is not needed
    const [, said] = error.message.match(/^KaTeX parse error: ([^]*?)(?: at (?:position \d+|end of input): [^]*)?$/) ?? [0, error.message];
    return { error: said, at: error.position ?? 0 };
  }
});
process.stdout.write(JSON.stringify(answers));
