// The engine: a worker with Python and the stepper in it. Started when first needed, and again after a stop.

const LIMIT = 10 // seconds that one launch may take
const PATIENCE = 40 // seconds that a whole program may take before it is stopped

export class Stopped extends Error {}

export class Engine {
  constructor(base, progress) {
    this.base = base
    this.progress = progress
    this.number = 0
  }

  // Start the worker. Resolves when it can run a program.
  start() {
    this.ready ??= new Promise((resolve, reject) => {
      const worker = new Worker(new URL("assets/vendor/run-here/worker.js", this.base), { type: "module" })
      this.worker = worker
      this.reject = reject
      worker.onerror = event => this.end(new Error(event.message || "The worker could not be started."))
      worker.onmessage = ({ data }) => {
        if (data.kind === "progress") this.progress(data)
        else if (data.kind === "ready") {
          this.loaded = data.files
          resolve(data)
        } else if (data.kind === "broken") this.end(new Error(data.message))
        else this.waiting?.(data)
      }
      worker.postMessage({ kind: "start", base: this.base })
    })
    return this.ready
  }

  // Run a program: mode "run", "check", "record" or "gpu"; or "grade". `exercise`: the text of one, for "grade" and "gpu". `plan`: JSON,
  // for "gpu": what session.on_gpu takes.
  // Rejects with Stopped when it is stopped.
  async run(code, mode, exercise, plan) {
    await this.start()
    const number = ++this.number
    let clock
    try {
      return await new Promise((resolve, reject) => {
        this.reject = reject
        this.waiting = data => {
          if (data.number !== number) return
          if (data.kind === "result") resolve(JSON.parse(data.result))
          else reject(new Error(data.message))
        }
        clock = setTimeout(() => this.stop(`Stopped after ${PATIENCE} s: the program did not end.`), PATIENCE * 1000)
        this.worker.postMessage({ kind: "run", number, code, mode, limit: LIMIT, exercise, plan })
      })
    } finally {
      clearTimeout(clock)
    }
  }

  stop(message = "Stopped.") {
    this.end(new Stopped(message))
  }

  end(error) {
    this.worker?.terminate()
    this.worker = this.ready = undefined
    this.reject?.(error)
  }
}
