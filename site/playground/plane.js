/* The picture in a plane, as SVG: region, gauge, rays, the point that is dragged and what the maps make of it. */

/* Points often lie together: two names stand on the right, two on the left, that of the upper point above it. */
const OTHERS = { contract: "project", project: "contract", soften: "decode", decode: "soften" };
const LEVELS = [0.25, 0.5, 0.75, 1.5, 2];

const number = (x) => (Math.abs(x) < 1e-12 ? "0" : String(Number(x.toPrecision(4))));

function tag(name, attributes, inner = "") {
  const written = Object.entries(attributes).filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${String(value).replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")}"`);
  return `<${name}${written.join("")}>${inner}</${name}>`;
}

/* Round numbers, about six of them, from low to high. */
function ticks(low, high) {
  const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const found = [];
  for (let t = Math.ceil(low / step); t * step <= high; t++) found.push(t * step);
  return found;
}

export class Plane {
  constructor(svg, { colourOf, onMove }) {
    Object.assign(this, { svg, colourOf, onMove });
    this.data = null;
    this.maps = null;
    this.place = null; // of the point that is dragged
    this.levels = true;
    this.spokes = false;
    this.held = new Set(); // numbers of the constraints that are lit
    svg.addEventListener("pointerdown", (event) => this.grab(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => (this.drags = false));
    svg.addEventListener("keydown", (event) => this.press(event));
  }

  /* A new region, slice or sample. The window holds the frontier and room around it. */
  show(data, names) {
    this.data = data;
    this.names = names;
    const width = (this.width = this.svg.clientWidth || 800), height = (this.height = this.svg.clientHeight || 600);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.low = [];
    this.high = [];
    for (const k of [0, 1]) {
      const reach = data.rays.map((ray) => (ray.place === null ? data.centre[k] + 1.5 * ray.far[k] : ray.place[k]));
      const close = reach.map((x) => Math.max(data.centre[k] - 4 * data.span[k], Math.min(data.centre[k] + 4 * data.span[k], x)));
      const low = Math.min(...close), high = Math.max(...close), room = 0.3 * (high - low || 1);
      this.low[k] = low - room;
      this.high[k] = high + room;
    }
    /* The same unit on both axes unless one would be squeezed. */
    const sizes = [this.high[0] - this.low[0], this.high[1] - this.low[1]];
    const wanted = [sizes[0], (sizes[0] * height) / width], ratio = sizes[1] / wanted[1];
    if (ratio > 0.2 && ratio < 5) {
      const k = ratio > 1 ? 0 : 1, grow = (ratio > 1 ? ratio : 1 / ratio) - 1;
      this.low[k] -= (grow * sizes[k]) / 2;
      this.high[k] += (grow * sizes[k]) / 2;
    }
    const inside = this.place?.every((x, k) => x >= this.low[k] && x <= this.high[k]);
    if (!inside || !this.kept) this.place = [0, 1].map((k) => data.centre[k] + (k === 0 ? 0.36 : 0.3) * (this.high[k] - this.low[k]));
    this.kept = true;
    this.drawGround();
  }

  forget() {
    this.kept = false;
    this.held = new Set();
    this.maps = null;
  }

  x(value) {
    return ((value - this.low[0]) / (this.high[0] - this.low[0])) * this.width;
  }
  y(value) {
    return this.height - ((value - this.low[1]) / (this.high[1] - this.low[1])) * this.height;
  }
  at(place) {
    const far = 20 * this.width, cut = (x) => Math.max(-far, Math.min(far, x));
    return `${cut(this.x(place[0])).toFixed(2)} ${cut(this.y(place[1])).toFixed(2)}`;
  }
  end(ray, level = 1) {
    const { centre } = this.data, to = ray.place ?? centre.map((c, k) => c + 50 * ray.far[k]);
    return centre.map((c, k) => c + level * (to[k] - c));
  }

  drawGround() {
    const { data } = this;
    const path = (points, close = true) => `M${points.map((p) => this.at(p)).join("L")}${close ? "Z" : ""}`;
    let html = "";
    for (const t of ticks(this.low[0], this.high[0])) {
      html += tag("path", { class: "grid", d: `M${this.x(t)} 0V${this.height}` });
      html += tag("text", { x: this.x(t) + 3, y: this.height - 5 }, number(t));
    }
    for (const t of ticks(this.low[1], this.high[1])) {
      html += tag("path", { class: "grid", d: `M0 ${this.y(t)}H${this.width}` });
      html += tag("text", { x: 4, y: this.y(t) - 3 }, number(t));
    }
    if (data.whole !== null) {
      const height = this.y(0) - this.y(data.whole.size[1]) + 0.5;
      html += tag("path", { class: "hidden-part", d: data.whole.pieces.map(([left, right, middle]) =>
        `M${this.x(left).toFixed(1)} ${(this.y(middle) - height / 2).toFixed(1)}H${this.x(right).toFixed(1)}` +
        `v${height.toFixed(1)}H${this.x(left).toFixed(1)}z`).join("") });
    }
    html += tag("path", { class: "fill", d: path(data.rays.map((ray) => this.end(ray))) });
    if (this.levels)
      for (const level of LEVELS) {
        const points = data.rays.map((ray) => this.end(ray, level));
        html += tag("path", { class: `level${level > 1 ? " outer" : ""}`, d: path(points) });
        const top = points[Math.floor(points.length * 0.31)];
        html += tag("text", { x: this.x(top[0]) + 3, y: this.y(top[1]) - 3 }, String(level));
      }
    if (this.spokes)
      for (const ray of data.spokes)
        html += tag("path", { class: "ray", d: path([data.centre, this.end(ray)], false) });
    html += this.edges();
    const [ox, oy] = [this.x(data.centre[0]), this.y(data.centre[1])];
    html += tag("path", { class: "origin", d: `M${ox - 7} ${oy}h14M${ox} ${oy - 7}v14` });
    html += tag("g", { id: "plane-maps" });
    html += tag("g", { class: "raw", id: "plane-point", tabindex: 0, role: "slider", "aria-valuemin": this.low[0],
      "aria-valuemax": this.high[0], "aria-label": "Your point: arrow keys move it, Shift moves it further" },
    tag("circle", { class: "handle", r: 26 }) + tag("circle", { class: "knob", r: 9 }));
    html += tag("text", { x: this.width - 8, y: this.height - 8, "text-anchor": "end", class: "tag" }, `${this.names[0]} →`) +
      tag("text", { x: 8, y: 16, class: "tag" }, `↑ ${this.names[1]}`);
    const focused = this.svg.contains(document.activeElement);
    this.svg.innerHTML = html;
    if (focused) this.svg.querySelector("#plane-point").focus();
    this.light(this.held);
    this.drawMaps();
  }

  /* The frontier, a path for each stretch that one constraint holds. */
  edges() {
    const { rays } = this.data, runs = [];
    const start = rays.findIndex((ray, i) => ray.number !== rays[(i + rays.length - 1) % rays.length].number);
    for (let i = 0; i < rays.length; i++) {
      const ray = rays[(i + Math.max(start, 0)) % rays.length];
      if (runs.at(-1)?.number !== ray.number) {
        runs.at(-1)?.points.push(this.end(ray));
        runs.push({ number: ray.number, points: [] });
      }
      runs.at(-1).points.push(this.end(ray));
    }
    runs.at(-1).points.push(runs[0].points[0]);
    return runs.filter((run) => run.number !== null).map(({ number: held, points }) =>
      tag("path", { class: "edge", "data-number": held, stroke: this.colourOf(held),
        d: `M${points.map((p) => this.at(p)).join("L")}` })).join("");
  }

  drawMaps() {
    const knob = this.svg.querySelector("#plane-point"), group = this.svg.querySelector("#plane-maps");
    if (knob === null) return;
    knob.setAttribute("transform", `translate(${this.x(this.place[0])} ${this.y(this.place[1])})`);
    knob.setAttribute("aria-valuenow", this.place[0]);
    knob.setAttribute("aria-valuetext", this.names.map((name, k) => `${name} ${number(this.place[k])}`).join(", "));
    if (this.maps === null) {
      group.innerHTML = "";
      return;
    }
    const line = (from, to, name) => tag("path", { class: `guide ${name}`, style: "fill:none",
      d: `M${this.at(from)}L${this.at(to)}` });
    let html = line(this.data.centre, this.place, "contract");
    const project = this.maps.rows.find((row) => row.name === "project");
    if (project) html += line(this.place, project.place, "project");
    const heights = Object.fromEntries(this.maps.rows.map((row) => [row.name, row.place[1]]));
    for (const row of this.maps.rows.filter(({ place }) => place.every(Number.isFinite))) {
      const [x, y] = [this.x(row.place[0]), this.y(row.place[1])], other = OTHERS[row.name];
      const above = !(heights[row.name] < heights[other]) && !(heights[row.name] === heights[other] && row.name < other);
      const dx = row.name === "contract" || row.name === "project" ? 10 : -10, dy = above ? -8 : 17;
      html += tag("circle", { class: row.name, cx: x, cy: y, r: 6 });
      html += tag("text", { class: `tag ${row.name}`, x: x + dx, y: y + dy, "text-anchor": dx < 0 ? "end" : "start" }, row.name);
    }
    group.innerHTML = html;
  }

  light(held) {
    this.held = held;
    for (const edge of this.svg.querySelectorAll(".edge"))
      edge.classList.toggle("lit", held.has(Number(edge.dataset.number)));
  }

  move(place) {
    this.place = place.map((x, k) => Math.max(this.low[k], Math.min(this.high[k], x)));
    this.drawMaps();
    this.onMove(this.place);
  }

  grab(event) {
    if (this.data === null) return;
    this.drags = true;
    this.svg.setPointerCapture(event.pointerId);
    this.svg.querySelector("#plane-point").focus({ preventScroll: true });
    event.preventDefault();
    this.drag(event);
  }

  drag(event) {
    if (!this.drags) return;
    const box = this.svg.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width, up = 1 - (event.clientY - box.top) / box.height;
    this.move([this.low[0] + across * (this.high[0] - this.low[0]), this.low[1] + up * (this.high[1] - this.low[1])]);
  }

  press(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way === undefined || this.data === null) return;
    event.preventDefault();
    const share = event.shiftKey ? 0.05 : 0.01;
    this.move(this.place.map((x, k) => x + way[k] * share * (this.high[k] - this.low[k])));
  }
}
