/* The playground: text on one side, the region on the other, the library in a worker between them. */
import { Editor } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import { pack, readCsv, takeColumns, unpack, writeCsv, zip } from "./files.js";
import { Plane } from "./plane.js";
import { Space } from "./space.js";
import { Library } from "./library.js";

const $ = (id) => document.getElementById(id);
const NONE = -1;
const short = (x) => (Number.isFinite(x) ? String(Number(x.toPrecision(6))) : "–");

const state = { region: null, axes: [0, 1, NONE], at: [], table: null, note: "" };
const library = new Library();
const editor = new Editor({ text: $("text"), paint: $("paint"), gutter: $("gutter") });
const colourOf = (number) => `var(--c${state.colours?.get(number) ?? 0})`;
const plane = new Plane($("plane"), { colourOf, onMove: () => askMaps() });
const space = new Space($("space"), { colourOf });

/* --------------------------------------------------------------------------------------------------------- text */

function say(text, kind = "") {
  $("message").className = `message ${kind}`;
  $("message").textContent = text;
}

function sayMistake(error) {
  editor.mark(error);
  if (state.region) $("caption").textContent = "The picture is that of the text before the mistake.";
  $("text").setAttribute("aria-invalid", "true");
  if (!(error.line > 0)) {
    say(error.message, "bad");
    return;
  }
  say("", "bad");
  const text = error.message.replace(/\n *\d* *\|.*/g, ""); // the line itself is marked in the editor
  const go = document.createElement("button");
  go.type = "button";
  go.textContent = `line ${error.line}`;
  go.addEventListener("click", () => editor.go());
  $("message").append(go, ` ${text}`);
}

const KINDS = ["box", "linear", "varying", "quadratic", "cone", "lmi", "expression", "union", "except"];
/* Those of the region; what parts of unions have isn't counted. */
function inequalitiesOf({ sources }) {
  return sources.filter((source) => !source.in_parts)
    .reduce((sum, source) => sum + KINDS.reduce((all, kind) => all + source[kind], 0), 0);
}

/* Lines get colours in turn, and their constraints with them. */
function colourLines(constraints) {
  state.constraints = constraints;
  const lines = [...new Set(constraints.map(({ line }) => line))].sort((a, b) => a - b);
  state.colours = new Map(constraints.map(({ line }, k) => [k, lines.indexOf(line) % 8]));
  editor.colours = new Map(lines.map((line, k) => [line, `var(--c${k % 8})`]));
  editor.draw();
}

async function compile() {
  const text = editor.value;
  const { result, error, stale } = await library.newest("compile", { text, parameters: state.at });
  if (stale) return;
  if (error) {
    sayMistake(error);
    return;
  }
  const before = JSON.stringify([state.region?.outputs, state.region?.parameters]);
  state.region = result;
  state.at = result.at;
  editor.mark(null);
  $("text").removeAttribute("aria-invalid");
  editor.draw();
  const { about } = result, count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
  const equalities = about.equalities > 0 ? `, ${count(about.equalities, "equality", "equalities")}` : "";
  say(`${state.note}${count(result.outputs.length, "output", "outputs")}, ` +
    `${count(inequalitiesOf(about), "inequality", "inequalities")}${equalities}; ${about.convex ? "convex" : "a star domain"}, ` +
    `${about.bounded ? "bounded" : "unbounded"}. ${result.milliseconds.toFixed(0)} ms.` +
    about.warnings.map((warning) => `\n${warning.text ?? warning}`).join(""), "good");
  state.note = "";
  $("explanation").textContent = result.explanation;
  if (before !== JSON.stringify([result.outputs, result.parameters])) {
    offerAxes();
    offerSliders();
    plane.forget();
  }
  await settle();
  if (state.table) mapTable();
}

let waiting = 0;
function typed() {
  editor.wrong = null;
  clearTimeout(waiting);
  waiting = setTimeout(compile, 40);
}
$("text").addEventListener("input", typed);

function setText(text) {
  editor.value = text;
  $("text").scrollTop = 0;
  compile();
}

/* ------------------------------------------------------------------------------------------------------ picture */

function offerAxes() {
  const { outputs } = state.region;
  state.axes = [0, Math.min(1, outputs.length - 1), NONE];
  for (const k of [0, 1, 2]) {
    const options = outputs.map((name, j) => new Option(name, j));
    if (k === 2) options.unshift(new Option("none (plane)", NONE));
    $(`axis${k}`).replaceChildren(...options);
    $(`axis${k}`).value = state.axes[k];
  }
  $("depth").hidden = outputs.length < 3;
}

for (const k of [0, 1, 2])
  $(`axis${k}`).addEventListener("change", () => {
    const chosen = Number($(`axis${k}`).value), other = state.axes.indexOf(chosen);
    if (chosen !== NONE && other >= 0 && other !== k) state.axes[other] = state.axes[k];
    state.axes[k] = chosen;
    if (state.axes[0] === NONE || state.axes[1] === NONE) { // the depth went to an axis of the plane
      const free = state.region.outputs.findIndex((_, j) => !state.axes.includes(j));
      state.axes[state.axes.indexOf(NONE)] = free;
    }
    for (const i of [0, 1, 2]) $(`axis${i}`).value = state.axes[i];
    plane.forget();
    draw();
  });
$("show-levels").addEventListener("change", () => {
  plane.levels = $("show-levels").checked;
  if (plane.data) plane.drawGround();
});
$("show-rays").addEventListener("change", () => {
  plane.spokes = $("show-rays").checked;
  if (plane.data) plane.drawGround();
});

function offerSliders() {
  $("sliders").replaceChildren(...state.region.parameters.map(({ name, lower, upper }, k) => {
    const label = document.createElement("label"), slider = document.createElement("input");
    const value = document.createElement("output");
    Object.assign(slider, { type: "range", min: lower, max: upper, step: "any", value: state.at[k] });
    value.textContent = short(state.at[k]);
    slider.addEventListener("input", () => {
      state.at[k] = Math.min(Math.max(Number(slider.value), lower), upper);
      value.textContent = short(state.at[k]);
      settle();
    });
    label.append(name, slider, value);
    return label;
  }));
}

async function settle() {
  const { result, error, stale } = await library.newest("settle", { parameters: state.at });
  if (stale) return;
  if (error) {
    $("caption").textContent = error.message;
    return;
  }
  colourLines(result.constraints);
  await draw();
}

async function draw() {
  const { outputs } = state.region, inSpace = state.axes[2] !== NONE;
  $("plane").toggleAttribute("hidden", inSpace);
  $("space").hidden = !inSpace;
  for (const id of ["show-levels", "show-rays"]) $(id).closest("label").hidden = inSpace;
  const alone = outputs.length < 2;
  if (alone) {
    $("caption").textContent = "A region of one output is an interval: " +
      `from ${short(state.region.about.lower[0])} to ${short(state.region.about.upper[0])}.`;
    $("plane").replaceChildren();
    return;
  }
  if (inSpace) {
    const { result, error, stale } = await library.newest("space", { axes: state.axes });
    if (stale) return;
    if (error) $("caption").textContent = error.message;
    else {
      $("caption").textContent = "Drag to turn it, or use the arrow keys. Colours are those of the lines.";
      space.show(result, state.axes.map((j) => outputs[j]));
    }
  }
  const axes = state.axes.slice(0, 2);
  const { result, error, stale } = await library.newest("plane", { axes });
  if (stale) return;
  if (error) {
    $("caption").textContent = error.message;
    $("plane").replaceChildren();
    return;
  }
  if (!inSpace)
    $("caption").textContent = outputs.length > 2
      ? "The plane through the origin. Colours are those of the lines." : "Colours are those of the lines.";
  for (const k of [0, 1]) $(`head${k}`).textContent = outputs[axes[k]];
  plane.show(result, axes.map((j) => outputs[j]));
  askMaps();
}

/* --------------------------------------------------------------------------------------------------------- maps */

const EXPLAIN = { contract: "along the ray", soften: "one-to-one", project: "nearest point", decode: "direction, radius" };

async function askMaps() {
  const axes = state.axes.slice(0, 2);
  const { result, error, stale } = await library.newest("maps",
    { axes, place: plane.place, radius: Number($("radius").value) });
  if (stale) return;
  if (error) {
    $("caption").textContent = error.message;
    return;
  }
  plane.maps = result;
  plane.drawMaps();
  const held = new Set(result.rows.filter((row) => row.name === "contract" || row.name === "project")
    .filter((row) => ["frontier", "moved"].includes(row.outcome)).map((row) => row.number).filter((n) => n !== null));
  plane.light(held);
  space.put(result, state.axes, held);
  const [active] = held;
  editor.light(active === undefined ? 0 : state.constraints[active].line);
  showPoints(result);
}

function showPoints({ gauge, rows }) {
  const body = $("points");
  if (body.children.length === 0) {
    const row = body.insertRow();
    row.innerHTML = '<th scope="row"><span class="swatch" style="background:var(--raw)"></span>your point</th>' +
      '<td><input id="raw0" inputmode="decimal" aria-label="Your point, across"></td>' +
      '<td><input id="raw1" inputmode="decimal" aria-label="Your point, up"></td><td></td>';
    for (const k of [0, 1])
      $(`raw${k}`).addEventListener("change", () => {
        const value = Number($(`raw${k}`).value);
        if ($(`raw${k}`).value.trim() !== "" && Number.isFinite(value)) plane.move(plane.place.map((x, i) => (i === k ? value : x)));
        else $(`raw${k}`).value = short(plane.place[k]);
      });
  }
  for (const k of [0, 1]) if (document.activeElement !== $(`raw${k}`)) $(`raw${k}`).value = short(plane.place[k]);
  body.rows[0].cells[3].textContent = `gauge ${short(gauge)}: ${gauge <= 1 ? "inside" : "outside"}`;
  while (body.rows.length > 1) body.deleteRow(1);
  for (const { name, place, number, outcome, inside } of rows) {
    const row = body.insertRow();
    row.dataset.map = name;
    row.innerHTML = `<th scope="row"><span class="swatch" style="background:var(--${name})"></span>${name}</th><td></td><td></td><td></td>`;
    row.title = EXPLAIN[name];
    for (const k of [0, 1]) row.cells[k + 1].textContent = short(place[k]);
    const stopped = ["frontier", "moved"].includes(outcome) && number !== null;
    const held = stopped ? `line ${state.constraints[number].line}, ${state.constraints[number].kind}` : outcome;
    row.cells[3].textContent = `${held}${inside ? " ✓" : ""}`;
    if (inside) row.cells[3].title = "Inside at tolerance 0, checked in exact arithmetic";
  }
}
$("radius").addEventListener("input", () => {
  $("radius-value").textContent = $("radius").value;
  askMaps();
});

/* ------------------------------------------------------------------------------------------------------- tables */

async function mapTable() {
  try {
    const { outputs, parameters } = state.region, { rows, name } = state.table;
    const points = takeColumns(rows, outputs);
    const given = parameters.length > 0 ? takeColumns(rows, parameters.map((p) => p.name), outputs.length) : null;
    const map = $("table-map").value, convex = state.region.about.convex;
    const { result, error } = await library.ask("table",
      { rows: points.flat(), parameters: given?.flat(), map: map === "project" && !convex ? "contract" : map });
    if (error) throw new Error(error.message);
    showTable(points, result, name);
  } catch (error) {
    $("table").hidden = false;
    $("table-summary").textContent = error.message;
    $("table-rows").replaceChildren();
    $("table-download").disabled = true;
  }
}

function showTable(points, { values, inside, columns }, name) {
  const { outputs } = state.region;
  const moves = points.map((row, i) => Math.hypot(...row.map((x, k) => values[i * columns + k] - x)));
  const moved = moves.filter((m) => m > 0).length, good = inside.filter(Boolean).length;
  $("table").hidden = false;
  $("table-download").disabled = false;
  $("table-summary").textContent = `${name}: ${points.length} rows, ${moved} moved, by ${short(Math.max(...moves))} at most; ` +
    `${good} of ${points.length} results are inside at tolerance 0.`;
  state.mapped = writeCsv(outputs, values, columns);
  const table = $("table-rows");
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const title of ["row", ...outputs.slice(0, 12)]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (let i = 0; i < Math.min(points.length, 50); i++) {
    const row = body.insertRow();
    row.insertCell().textContent = i + 1;
    for (let k = 0; k < Math.min(columns, 12); k++) {
      const cell = row.insertCell(), value = values[i * columns + k];
      cell.textContent = short(value);
      cell.className = value === points[i][k] ? "" : "moved";
    }
  }
}

async function takeFile(file) {
  if (!file) return;
  try {
    state.table = { rows: readCsv(await file.text()), name: file.name };
    if (state.table.rows.length === 0) throw new Error("The table is empty.");
  } catch (error) {
    $("table").hidden = false;
    $("table-summary").textContent = `${file.name}: ${error.message}`;
    return;
  }
  await mapTable();
  $("table").scrollIntoView({ block: "nearest" });
}
$("file").addEventListener("change", () => takeFile($("file").files[0]));
$("table-map").addEventListener("change", mapTable);
$("table-close").addEventListener("click", () => {
  $("table").hidden = true;
  state.table = null;
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  takeFile(event.dataTransfer.files[0]);
});

function download(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
$("table-download").addEventListener("click", () => download(state.mapped, `inside-${state.table.name}`));

/* ----------------------------------------------------------------------------------------- export, Python, links */

$("export").addEventListener("click", () => {
  $("export-message").textContent = "";
  $("export-dialog").showModal();
});
$("export-go").addEventListener("click", async () => {
  if (!$("export-name").reportValidity()) return;
  const name = $("export-name").value;
  const { result, error } = await library.ask("exportC", { options: { name, precision: $("export-precision").value,
    gradient: $("export-gradient").checked, origin: "the playground" } });
  if (error) {
    $("export-message").textContent = error.message;
    return;
  }
  $("export-message").textContent = `${Object.keys(result).join(", ")}: downloaded as ${name}.zip.`;
  download(zip(Object.fromEntries(Object.entries(result).map(([file, text]) => [`${name}/${file}`, text]))), `${name}.zip`);
});

function pythonCode() {
  const quoted = editor.value.replace(/\\/g, "\\\\").replace(/"""/g, '\\"\\"\\"');
  const list = (numbers) => `[${numbers.map((x) => String(x)).join(", ")}]`;
  const at = state.at.length > 0 ? `, ${list(state.at)}` : "";
  const origin = state.at.length > 0 ? `region.origin_at(${list(state.at)})` : "region.origin";
  const point = plane.maps?.point ?? state.region?.about.origin ?? [];
  return `import numpy as np
import hcr

region = hcr.Region("""
${quoted.trim()}
""")
point = np.array(${list(point)})
step = point - ${origin}
print("contract", region.contract(step${at}))
print("soften  ", region.soften(step${at}))
${state.region?.about.convex === false ? "" : `print("project ", region.project(point${at}))\n`}`;
}
$("python").addEventListener("click", () => {
  $("python-code").textContent = pythonCode();
  $("python-dialog").showModal();
});

async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed: copy the address"; // the address has the link, too
  }
  setTimeout(() => (button.textContent = label), 2000);
}
$("python-copy").addEventListener("click", () => copy($("python-code").textContent, $("python-copy")));
$("link").addEventListener("click", async () => {
  history.replaceState(null, "", `#t=${await pack(editor.value)}`);
  copy(location.href, $("link"));
});

/* --------------------------------------------------------------------------------------------------------- begin */

$("about").open = matchMedia("(min-width: 56rem)").matches;


function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  space.draw();
}
const stored = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
})();
setTheme(stored ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
$("theme").addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme(next);
  try {
    localStorage.setItem("theme", next);
  } catch { /* private windows have no storage: the choice lasts as long as the page */ }
});

$("example").replaceChildren(...EXAMPLES.map(([name], k) => new Option(name, k)));
$("example").value = 2;
$("example").addEventListener("change", () => setText(EXAMPLES[$("example").value][1]));
addEventListener("resize", () => {
  if (plane.data) plane.show(plane.data, plane.names);
  space.draw();
});

async function textOfLink() {
  const packed = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (packed === undefined) return null;
  try {
    return await unpack(packed);
  } catch {
    state.note = "The link is damaged: here is an example instead.\n";
    return null;
  }
}
addEventListener("hashchange", async () => {
  const text = await textOfLink();
  if (text !== null) setText(text);
});
setText((await textOfLink()) ?? EXAMPLES[2][1]);
