// node tools/prerender.mjs SITE_DIR: render each formula of a built site with KaTeX, in place.
//
// Python-Markdown's arithmatex leaves \(...\) and \[...\] in elements of the class "arithmatex".
// Rendered at build time they need no script in the browser and move nothing while a page loads.
// A formula that KaTeX refuses is named with its file, and the exit code is 1. A second run finds
// nothing left to do.
import katex from "katex";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const site = process.argv[2];
if (!site) {
  console.error("usage: node tools/prerender.mjs SITE_DIR");
  process.exit(2);
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
const decode = (html) => html.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]);
const FORMULA =
  /(<(span|div) class="arithmatex">)\s*(?:\\\(([\s\S]*?)\\\)|\\\[([\s\S]*?)\\\])\s*(?=<\/\2>)/g;

let formulas = 0;
const wrong = [];
for (const entry of readdirSync(site, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".html")) continue;
  const file = join(entry.parentPath ?? entry.path, entry.name);
  const html = readFileSync(file, "utf8");
  if (!html.includes('class="arithmatex"')) continue;
  const rendered = html.replace(FORMULA, (match, open, tag, inline, display) => {
    const tex = decode(inline ?? display);
    try {
      const displayMode = display !== undefined;
      // strict: what LaTeX itself would refuse is an error here, not a warning.
      const out = katex.renderToString(tex, { displayMode, throwOnError: true, strict: "error" });
      formulas += 1;
      return open + out;
    } catch (error) {
      wrong.push(`${relative(site, file)}: ${tex.trim()}\n  ${error.message}`);
      return match;
    }
  });
  if (rendered !== html) writeFileSync(file, rendered);
}

if (wrong.length) {
  console.error(`prerender: ${wrong.length} bad formulas\n${wrong.join("\n")}`);
  process.exit(1);
}
if (formulas) console.log(`${formulas} formulas rendered`);
