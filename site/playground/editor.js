/* The text of the region: a text area over a painted copy, which has colours, the mistake and the lit line. */

const KEYWORDS = new Set(["var", "param", "const", "in", "for", "if", "else", "union", "or", "except", "star", "end",
  "unbounded", "origin", "and", "not", "chebyshev", "analytic", "mean"]);
const TOKEN = /(#.*)|([A-Za-z_]\w*)|(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|(\s+|.)/gu;

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

function paintLine(line, wrong) {
  let at = 0, html = "";
  for (const [text, comment, name, number] of line.matchAll(TOKEN)) {
    let kind = "";
    if (comment) kind = "comment";
    else if (name && KEYWORDS.has(name)) kind = "keyword";
    else if (name && /^\s*\(/.test(line.slice(at + text.length))) kind = "function";
    else if (number) kind = "number";
    const from = wrong ? Math.max(wrong.from, at) : 0, to = wrong ? Math.min(wrong.to, at + text.length) : 0;
    const inner = from < to
      ? `${escape(text.slice(0, from - at))}<span class="wrong">${escape(text.slice(from - at, to - at))}</span>` +
        escape(text.slice(to - at))
      : escape(text);
    html += kind ? `<span class="${kind}">${inner}</span>` : inner;
    at += text.length;
  }
  return wrong && wrong.from >= line.length ? `${html}<span class="wrong"> </span>` : html;
}

export class Editor {
  constructor({ text, paint, gutter }) {
    Object.assign(this, { text, paint, gutter });
    this.wrong = null; // { line, from, to }: 0-based columns in UTF-16
    this.lit = 0; // a line that is marked
    this.colours = new Map(); // line → colour
    text.addEventListener("input", () => this.draw());
    text.addEventListener("scroll", () => this.follow());
    this.draw();
  }

  get value() {
    return this.text.value;
  }
  set value(text) {
    this.text.value = text;
    this.wrong = null;
    this.lit = 0;
    this.draw();
  }

  /* Where a mistake is: the library gives its line and column, counted in bytes, and marks its length below the line. */
  mark(error) {
    this.wrong = null;
    if (error?.line > 0) {
      const line = this.value.split("\n")[error.line - 1] ?? "";
      const bytes = new TextEncoder().encode(line).subarray(0, Math.max(error.column - 1, 0));
      const from = new TextDecoder().decode(bytes).length;
      const length = /^\s*\|\s*(\^+)\s*$/m.exec(error.message)?.[1].length ?? 1;
      this.wrong = { line: error.line, from, to: from + length };
    }
    this.draw();
  }

  light(line) {
    if (line === this.lit) return;
    this.lit = line;
    this.draw();
  }

  /* Puts the cursor at the mistake. */
  go() {
    if (this.wrong === null) return;
    const before = this.value.split("\n").slice(0, this.wrong.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(before + this.wrong.from, before + this.wrong.to);
  }

  draw() {
    const lines = this.value.split("\n");
    this.paint.innerHTML = lines.map((line, i) => {
      const wrong = this.wrong?.line === i + 1 ? this.wrong : null;
      return `<span class="row${this.lit === i + 1 ? " lit" : ""}">${paintLine(line, wrong)}</span>`;
    }).join("");
    this.gutter.innerHTML = lines.map((_, i) => {
      const classes = [this.lit === i + 1 && "lit", this.wrong?.line === i + 1 && "wrong"].filter(Boolean).join(" ");
      const colour = this.colours.get(i + 1);
      return `<div class="${classes}"${colour ? ` style="border-left-color:${colour}"` : ""}>${i + 1}</div>`;
    }).join("");
    this.follow();
  }

  follow() {
    this.paint.style.transform = `translate(${-this.text.scrollLeft}px, ${-this.text.scrollTop}px)`;
    this.gutter.scrollTop = this.text.scrollTop;
  }
}
