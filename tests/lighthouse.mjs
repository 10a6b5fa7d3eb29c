// node lighthouse.mjs CATEGORIES FLAGS URL...: one browser for all pages; prints a report of each.
// Its own program costs 6 s a page to start and to end.
import lighthouse, { desktopConfig } from "lighthouse"
import * as chrome from "chrome-launcher"

const [categories, flags, ...urls] = process.argv.slice(2)
const browser = await chrome.launch({ chromeFlags: JSON.parse(flags) })
const reports = {}
const where = details =>
  (details?.items ?? []).slice(0, 5).map(({ node, href, text }) => node ? `${node.snippet} ${node.selector} ${node.explanation ?? ""}` : `${text} (${href})`).join(" ")
try {
  for (const url of urls) {
    const { lhr } = await lighthouse(
      url,
      {
        port: browser.port,
        logLevel: "error",
        onlyCategories: categories.split(","),
        disableFullPageScreenshot: true, // nobody looks at it
      },
      desktopConfig,
    )
    const scores = Object.entries(lhr.categories).map(([name, { score }]) => [name, score])
    const failed = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 1)
    reports[url] = {
      scores: Object.fromEntries(scores),
      failed: failed.map(({ id, title, details }) => `${id}: ${title} ${where(details)}`),
      wrong: lhr.runtimeError?.message ?? null,
    }
  }
} finally {
  browser.kill()
}
console.log(JSON.stringify(reports))
