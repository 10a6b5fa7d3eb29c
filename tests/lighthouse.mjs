// node lighthouse.mjs CATEGORIES FLAGS URL...: one browser for all pages; prints a report of each.
// Its own program costs 6 s a page to start and to end.
import lighthouse, { desktopConfig } from "lighthouse"
import * as chrome from "chrome-launcher"
import { ProtocolSession } from "lighthouse/core/gather/session.js"
import { pageFunctions } from "lighthouse/core/lib/page-functions.js"

// Of each link Lighthouse asks for the listeners of all elements around it, which are mostly those
// around the link before. An answer is kept while nothing else is asked.
const KEPT = new Set(["DOM.pushNodeByPathToFrontend", "DOM.resolveNode", "DOMDebugger.getEventListeners"])
const send = ProtocolSession.prototype.sendCommand
const known = new WeakMap()
ProtocolSession.prototype.sendCommand = function (method, ...params) {
  if (!KEPT.has(method)) {
    known.delete(this)
    return send.call(this, method, ...params)
  }
  if (!known.has(this)) known.set(this, new Map())
  const answers = known.get(this), key = JSON.stringify([method, params])
  if (!answers.has(key)) answers.set(key, send.call(this, method, ...params))
  return answers.get(key)
}
// How fast this machine is, for the times of a page: none is asked for, and that is a second a page.
pageFunctions.computeBenchmarkIndex = () => 1500

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
        skipAudits: ["font-size"], // which says of each desktop that it is none of its own
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
