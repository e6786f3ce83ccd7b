// build.mjs: bundles src/ into template.html, the page that holon puts its data into.
//
//   node build.mjs [FILE]      writes template.html, or FILE
//   node build.mjs --check     fails when template.html is not what the sources give
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const argument = process.argv[2];

/** @type {import("esbuild").BuildOptions} */
const common = { bundle: true, minify: true, write: false, outdir: "out", format: "iife", target: ["es2022"], legalComments: "none", charset: "utf8" };

// a worker is started from its text: import text from "worker:./file.js"
const workers = {
  name: "workers",
  setup(all) {
    all.onResolve({ filter: /^worker:/ }, (a) => ({ path: join(a.resolveDir, a.path.slice(7)), namespace: "worker" }));
    all.onLoad({ filter: /.*/, namespace: "worker" }, async (a) => {
      const made = await build({ ...common, entryPoints: [a.path] });
      return { contents: made.outputFiles[0].text, loader: "text" };
    });
  },
};

const bundle = await build({
  ...common,
  entryPoints: [join(root, "src/main.js")],
  plugins: [workers],
  // long lines are hard on editors and on tools that show differences
  lineLimit: 200,
});
const text = (ending) => bundle.outputFiles.find((f) => f.path.endsWith(ending)).text.trim();

// nothing in the script may end the element around it
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const page = await readFile(join(root, "src/page.html"), "utf8");
const versions = JSON.parse(await readFile(join(root, "package.json"), "utf8")).dependencies;
const license = (await readFile(join(root, "node_modules/three/LICENSE"), "utf8")).split("Permission is hereby")[1].trim();
const notice = `<!--
This page contains three.js ${versions.three}, copyright (c) 2010-2025 three.js authors, and
uPlot ${versions.uplot}, copyright (c) 2022 Leon Sorokin, both under the MIT license:

Permission is hereby ${license}
-->`;
const template = page
  .replace("<!--notice-->", () => notice)
  .replace("<!--style-->", () => `<style>${text(".css")}</style>`)
  .replace("<!--script-->", () => `<script>${script}</script>`);

if (argument === "--check") {
  if ((await readFile(join(root, "template.html"), "utf8")) !== template) {
    console.error("viewer/template.html is not up to date: run 'npm run build' in viewer/");
    process.exit(1);
  }
} else {
  await writeFile(argument ?? join(root, "template.html"), template);
}
console.log(`template: ${(template.length / 1024).toFixed(0)} kB`);
