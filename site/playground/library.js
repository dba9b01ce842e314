/* The worker, with promises. A worker that takes too long over a text that isn't wanted any more is replaced. */

const PATIENCE = 3000; // milliseconds

export class Library {
  constructor() {
    this.count = 0;
    this.latest = new Map(); // job → the number of its last question
    this.begin();
  }

  begin() {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.open = new Map(); // number → { resolve, began }
    this.worker.addEventListener("message", ({ data: { number, result, error, stale } }) => {
      this.open.get(number)?.resolve({ result, error, stale });
      this.open.delete(number);
    });
    this.worker.addEventListener("error", (event) => this.fail(`The library doesn't run in this browser: ${event.message}`));
  }

  fail(message) {
    for (const { resolve } of this.open.values()) resolve({ error: { code: "fault", message } });
    this.open.clear();
  }

  ask(job, given) {
    const number = ++this.count;
    return new Promise((resolve) => {
      this.open.set(number, { resolve, began: performance.now() });
      this.worker.postMessage({ number, job, ...given });
    });
  }

  /* Of several questions for the same job only the last one counts: the others' answers are stale. At most one waits in
   * the worker, so that a drag doesn't queue up. */
  async newest(job, given) {
    const turn = (this.latest.get(job) ?? 0) + 1;
    this.latest.set(job, turn);
    if (job === "compile") this.replaceIfStuck();
    while (this.busy?.has(job)) await this.busy.get(job);
    if (this.latest.get(job) !== turn) return { stale: true };
    const answer = this.ask(job, given);
    (this.busy ??= new Map()).set(job, answer);
    const got = await answer;
    if (this.busy.get(job) === answer) this.busy.delete(job);
    return this.latest.get(job) === turn ? got : { stale: true };
  }

  replaceIfStuck() {
    const now = performance.now();
    if (![...this.open.values()].some(({ began }) => now - began > PATIENCE)) return;
    this.worker.terminate();
    const open = this.open;
    this.begin();
    for (const { resolve } of open.values()) resolve({ error: { code: "stopped", message: "stopped" } });
  }
}
