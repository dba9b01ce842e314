/* The region in the space of three outputs, on a canvas: turned by dragging or with the arrow keys. */

export class Space {
  constructor(canvas, { colourOf }) {
    Object.assign(this, { canvas, colourOf, data: null, turn: 0.6, tilt: 0.45, lit: new Set(), marks: [] });
    canvas.addEventListener("pointerdown", (event) => {
      this.last = [event.clientX, event.clientY];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.last) return;
      this.rotate((event.clientX - this.last[0]) / 150, (event.clientY - this.last[1]) / 150);
      this.last = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (this.last = null));
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!way) return;
      event.preventDefault();
      this.rotate(way[0] * 0.1, way[1] * 0.1);
    });
  }

  rotate(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.max(-1.57, Math.min(1.57, this.tilt + tilt));
    this.draw();
  }

  /* Faces of the frontier, in units in which the region is about as large as 1. */
  show(data, names) {
    this.data = data;
    this.names = names;
    const { cells, rays, centre, span } = data;
    const sizes = span.map((s) => Math.max(s, Math.max(...span) / 1e9));
    const alike = Math.max(...sizes) / Math.min(...sizes) < 5;
    this.units = alike ? sizes.map(() => Math.max(...sizes)) : sizes;
    const points = rays.map((ray) => this.place(ray.place ?? centre.map((c, k) => c + 2 * ray.far[k])));
    this.faces = [];
    for (let side = 0; side < 6; side++)
      for (let i = 0; i < cells; i++)
        for (let j = 0; j < cells; j++) {
          const first = (side * (cells + 1) + i) * (cells + 1) + j;
          const corners = [first, first + 1, first + cells + 2, first + cells + 1];
          const numbers = corners.map((c) => rays[c].number).sort();
          const number = numbers[1] === numbers[2] ? numbers[1] : numbers[0]; // what most of them meet
          this.faces.push({ corners: corners.map((c) => points[c]), number });
        }
    this.reach = Math.max(...points.map((p) => Math.hypot(...p)));
    this.draw();
  }

  /* Outputs in the units of the picture. */
  place(outputs) {
    return outputs.map((x, k) => Math.max(-3, Math.min(3, (x - this.data.centre[k]) / this.units[k])));
  }

  /* The point and what the maps make of it, and the constraints that hold it. */
  put({ point, rows }, axes, held) {
    this.lit = held;
    if (this.data === null || axes.length < 3 || axes[2] < 0) return;
    const at = (y) => this.place(axes.map((j) => y[j]));
    this.marks = [{ name: "raw", at: at(point) }, ...rows.map(({ name, y }) => ({ name, at: at(y) }))]
      .filter((mark) => mark.at.every(Number.isFinite));
    this.draw();
  }

  /* Across, up and towards the eye. */
  see([x, y, z]) {
    const a = x * Math.cos(this.turn) + y * Math.sin(this.turn), b = -x * Math.sin(this.turn) + y * Math.cos(this.turn);
    return [a, z * Math.cos(this.tilt) + b * Math.sin(this.tilt), z * Math.sin(this.tilt) - b * Math.cos(this.tilt)];
  }

  draw() {
    const { canvas, data } = this;
    if (data === null || canvas.hidden) return;
    const dots = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * dots;
    canvas.height = height * dots;
    const pen = canvas.getContext("2d");
    pen.scale(dots, dots);
    const unit = (0.4 * Math.min(width, height)) / (this.reach || 1);
    const at = ([x, y]) => [width / 2 + unit * x, height / 2 - unit * y];
    const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--ink");
    const seen = this.faces.map((face) => {
      const corners = face.corners.map((corner) => this.see(corner));
      const [p, q] = [0, 1].map((k) => corners[k + 2].map((x, i) => x - corners[k][i]));
      const normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
      const middle = [0, 1, 2].map((i) => corners.reduce((sum, c) => sum + c[i], 0));
      const out = normal.reduce((sum, x, i) => sum + x * middle[i], 0) < 0 ? -1 : 1;
      const length = out * Math.hypot(...normal);
      return { corners, number: face.number, depth: middle[2], normal: normal.map((x) => x / length) };
    }).filter(({ normal }) => normal[2] > 0).sort((a, b) => a.depth - b.depth); // what looks away isn't seen
    const colours = new Map();
    for (const { corners, number, normal } of seen) {
      const light = Math.max(0, -0.35 * normal[0] + 0.55 * normal[1] + 0.75 * normal[2]);
      if (!colours.has(number)) colours.set(number, style.getPropertyValue(this.colourOf(number).slice(4, -1)));
      pen.beginPath();
      for (const corner of corners) pen.lineTo(...at(corner));
      pen.closePath();
      const strength = 85 - 60 * Math.min(light, 1) + (this.lit.has(number) ? 15 : 0);
      pen.fillStyle = pen.strokeStyle = `color-mix(in srgb, ${colours.get(number)} ${strength}%, ${style.getPropertyValue("--sheet")})`;
      pen.lineWidth = 0.7;
      pen.fill();
      pen.stroke();
    }
    pen.font = "13px system-ui, 'DejaVu Sans', sans-serif";
    for (const [k, name] of this.names.entries()) {
      const axis = [0, 1, 2].map((i) => (i === k ? 1.25 * this.reach : 0)), [x, y] = at(this.see(axis));
      pen.strokeStyle = pen.fillStyle = ink;
      pen.globalAlpha = 0.55;
      pen.beginPath();
      pen.moveTo(...at(this.see(axis.map((t) => -t))));
      pen.lineTo(x, y);
      pen.stroke();
      pen.globalAlpha = 1;
      pen.fillText(name, x + 4, y - 4);
    }
    const raw = this.marks.find(({ name }) => name === "raw");
    for (const mark of this.marks) {
      const [x, y] = at(this.see(mark.at)), colour = style.getPropertyValue(`--${mark.name}`);
      pen.strokeStyle = pen.fillStyle = colour;
      if (mark.name === "contract" || mark.name === "project") { // along the ray, or straight to the nearest point
        const [fromX, fromY] = at(this.see(mark.name === "contract" ? [0, 0, 0] : raw.at)), [toX, toY] = at(this.see(raw.at));
        pen.setLineDash([5, 4]);
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.moveTo(fromX, fromY);
        pen.lineTo(mark.name === "contract" ? toX : x, mark.name === "contract" ? toY : y);
        pen.stroke();
        pen.setLineDash([]);
      }
      pen.beginPath();
      pen.arc(x, y, mark.name === "raw" ? 8 : 5.5, 0, 2 * Math.PI);
      pen.lineWidth = mark.name === "raw" ? 3 : 1.5;
      if (mark.name !== "raw") {
        pen.fill();
        pen.strokeStyle = style.getPropertyValue("--sheet");
      }
      pen.stroke();
    }
  }
}
