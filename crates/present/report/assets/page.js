// Draws the charts of a page with uPlot from the JSON beside it: one cursor and one zoom over all charts over time, values under the
// cursor in the legends, limits and marks as lines with their names, a table behind each chart.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const clock = data.clock;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const FONT = 12;
  const font = () => FONT + "px system-ui, sans-serif";
  const TONES = 6;
  const tone = (i) => "tone" + (i % TONES);
  // Beyond the tones lines differ by their dashes, which also tell them apart without colour.
  const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
  const dash = (i) => DASHES[(i + Math.floor(i / TONES)) % DASHES.length];

  // A value with three digits, thousands apart.
  function told(value) {
    if (value == null || !isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size < 1e-12) return "0";
    const decimals = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
    return value.toLocaleString("en", { maximumFractionDigits: decimals });
  }
  // The same for a tick: millions and more in short.
  const short = (value) => (Math.abs(value) >= 1e7 ? value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }) : told(value));
  // The same with its unit.
  const withUnit = (value, unit) => (value == null ? "–" : told(value) + (unit && unit.length <= 6 ? "\u00a0" + unit : ""));

  // Seconds in the unit that fits the whole span.
  const UNITS = [[300, 1, "s"], [3 * 3600, 60, "min"], [3 * 86400, 3600, "h"], [Infinity, 86400, "d"]];
  const unit = clock ? UNITS.find(([longest]) => clock.span <= longest) : UNITS[0];
  function instant(seconds) {
    if (clock.start == null) return told(seconds / unit[1]) + " " + unit[2];
    return new Date(clock.start + seconds * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC";
  }

  // Ticks of a time axis: whole multiples of 1, 2, 5 (10, 15, 30 of sixty) of the unit.
  function timeSplits(u, axis, low, high, step) {
    const nice = unit[1] === 1 || unit[1] === 60 ? [1, 2, 5, 10, 15, 20, 30, 60, 120, 240] : unit[1] === 3600 ? [1, 2, 3, 6, 12, 24, 48] : [1, 2, 5, 10, 20, 50, 100];
    const wanted = step / unit[1];
    let by = nice.find((n) => n >= wanted * 0.999);
    if (wanted < 1) { const power = Math.pow(10, Math.floor(Math.log10(wanted))); by = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted * 0.999); }
    by = (by || wanted) * unit[1];
    const ticks = [];
    // Of the wall clock whole hours and days, not those since the start.
    const before = clock.start == null ? 0 : (clock.start / 1000) % by;
    for (let at = Math.ceil((low + before) / by - 1e-9) * by - before; at <= high + by * 1e-9; at += by) ticks.push(at);
    return ticks;
  }

  const timeCharts = new Set();
  const drawn = new Map();

  function columns(chart, log) {
    // No decade has a place for zero: it is a gap there.
    const values = (all) => (log ? all.map((v) => (v > 0 ? v : null)) : all);
    const tables = chart.series.map((series) => [data.positions[series.at], values(series.values)]);
    // An outer join: a gap (null) reaches to the next values of its series (mode 2); a position that only another series has is none.
    return tables.length === 1 ? [tables[0][0], tables[0][1]] : uPlot.join(tables, tables.map(() => [2, 2]));
  }

  function ySpan(chart, log) {
    let low = Infinity, high = -Infinity, least = Infinity;
    chart.series.forEach((series, i) => {
      if (chart.hidden && chart.hidden.has(i)) return;
      for (const v of series.values) if (v != null) { low = Math.min(low, v); high = Math.max(high, v); if (v > 0) least = Math.min(least, v); }
    });
    if (low > high) { low = 0; high = 1; }
    // A limit far above everything would flatten what there is; it is named in the legend instead.
    const shown = chart.limits.filter((limit) => limit.value <= Math.max(high, 0) * (log ? 50 : 8) || high <= 0);
    for (const limit of shown) { high = Math.max(high, limit.value); low = Math.min(low, limit.value); if (limit.value > 0) least = Math.min(least, limit.value); }
    return { low, high, least: isFinite(least) ? least : 0.1, shown };
  }

  // Ticks with a text: those that lie as many pixels apart as a text takes; the others are lines alone.
  const apart = (scale, pixels) => (u, splits) => {
    let last = null;
    return splits.map((at) => {
      const place = u.valToPos(at, scale);
      if (last != null && Math.abs(place - last) < pixels) return null;
      last = place;
      return at;
    });
  };

  // The nearest of 1, 2, 5 times a power of ten that is not over (-1) or not under (1) a value.
  function step125(value, towards) {
    const power = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    const steps = [1, 2, 5, 10].map((n) => n * power);
    return towards > 0 ? steps.find((n) => n >= value * (1 - 1e-9)) : steps.reverse().find((n) => n <= value * (1 + 1e-9));
  }

  // Ticks of an axis by decades: 1, 2, 5 where it has few decades, else 1 alone.
  function logSplits(u, axis, low, high) {
    const decades = Math.log10(high / low);
    const ticks = [];
    for (let power = Math.floor(Math.log10(low) - 1e-9); power <= Math.ceil(Math.log10(high)); power++)
      for (const n of decades > 3.2 ? [1] : [1, 2, 5]) {
        const at = n * Math.pow(10, power);
        if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) ticks.push(at);
      }
    return ticks;
  }

  function scaleY(chart, log) {
    return (u, low, high) => {
      const span = ySpan(chart, log);
      if (log) {
        const floor = step125(span.least * 1.0001, -1), ceiling = step125(Math.max(span.high, span.least) * 1.04, 1);
        return [floor, ceiling > floor * 1.5 ? ceiling : step125(floor * 1.5, 1)];
      }
      if (chart.y.scale === "fitted") {
        const room = (span.high - span.low || Math.abs(span.high) || 1) * 0.1;
        return [Math.max(span.low - room, span.low >= 0 ? 0 : -Infinity), span.high + room];
      }
      return [Math.min(0, span.low), span.high > 0 ? span.high * 1.08 : 1];
    };
  }

  // Positions and texts of marks above the plot, in lanes, so that no two texts meet.
  const LANES = 2, LANE = 16;
  function drawMarks(u, marks) {
    const { ctx } = u, ratio = uPlot.pxRatio, box = u.bbox;
    ctx.save();
    ctx.font = FONT * ratio + "px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    const ends = new Array(LANES).fill(box.left - 8 * ratio);
    const gap = 8 * ratio, right = box.left + box.width;
    [...marks].sort((a, b) => a.from - b.from).forEach((mark) => {
      const low = u.scales.x.min, high = u.scales.x.max, until = mark.until == null ? mark.from : mark.until;
      if (until < low || mark.from > high) return;
      const x = Math.max(u.valToPos(mark.from, "x", true), box.left);
      ctx.strokeStyle = ctx.fillStyle = colour(mark.kind);
      if (mark.until != null) {
        const end = Math.min(u.valToPos(mark.until, "x", true), right);
        // What lasts nearly as long as all that was seen sets nothing apart.
        if (end - x < 0.9 * box.width) {
          ctx.globalAlpha = 0.06;
          ctx.fillRect(x, box.top, Math.max(end - x, ratio), box.height);
          ctx.globalAlpha = 1;
        }
      }
      ctx.lineWidth = ratio;
      ctx.setLineDash([3 * ratio, 3 * ratio]);
      ctx.beginPath(); ctx.moveTo(x, box.top - 2 * ratio); ctx.lineTo(x, box.top + box.height); ctx.stroke();
      ctx.setLineDash([]);
      const prefix = mark.number ? mark.number + "" : "";
      const whole = mark.text.length > 30 ? mark.text.slice(0, 29) + "…" : mark.text;
      const forms = prefix ? [prefix + " " + whole, prefix] : [whole];
      for (const text of forms) {
        const width = ctx.measureText(text).width;
        let left = x;
        // At the right edge a text ends at its line.
        if (left + width > right) left = right - width;
        const lane = ends.findIndex((end) => left >= end + gap);
        if (lane < 0 || left < box.left - 1) continue;
        ctx.fillText(text, left, box.top - (lane + 0.6) * LANE * ratio);
        ends[lane] = left + width;
        break;
      }
    });
    ctx.restore();
  }

  function drawLimits(u, chart, log) {
    const { ctx } = u, ratio = uPlot.pxRatio, box = u.bbox;
    const inside = (limit) => limit.value >= u.scales.y.min && limit.value <= u.scales.y.max;
    const texts = [];
    ctx.save();
    ctx.font = FONT * ratio + "px system-ui, sans-serif";
    ctx.textAlign = "right";
    ctx.textBaseline = "bottom";
    for (const limit of ySpan(chart, log).shown.filter(inside).sort((a, b) => b.value - a.value)) {
      const y = u.valToPos(limit.value, "y", true);
      ctx.strokeStyle = colour("hot");
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash([7 * ratio, 4 * ratio]);
      ctx.beginPath(); ctx.moveTo(box.left, y); ctx.lineTo(box.left + box.width, y); ctx.stroke();
      let at = y - 2 * ratio;
      const height = (FONT + 3) * ratio;
      // Above its line where there is room, else below; a name that would meet another is left to the legend.
      if (at - height < box.top) at = y + height + 1 * ratio;
      if (texts.some((other) => Math.abs(other - at) < height)) continue;
      texts.push(at);
      let text = limit.name;
      const room = box.width - 12 * ratio;
      while (text.length > 4 && ctx.measureText(text).width > room) text = text.slice(0, -5).trimEnd() + "…";
      const width = ctx.measureText(text).width, left = box.left + box.width - 4 * ratio - width;
      ctx.fillStyle = colour("page");
      ctx.globalAlpha = 0.75;
      ctx.fillRect(left - 2 * ratio, at - height + ratio, width + 4 * ratio, height);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colour("hot");
      ctx.fillText(text, box.left + box.width - 4 * ratio, at);
    }
    ctx.restore();
  }

  // Numbers beside points, as in the table; one that would cover another is left out.
  function drawNumbers(u, chart) {
    const { ctx } = u, ratio = uPlot.pxRatio, taken = [];
    ctx.save();
    ctx.font = FONT * ratio + "px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = colour("ink");
    chart.series.forEach((series, s) => {
      if (series.style !== "points" || !u.series[s + 1].show) return;
      data.positions[series.at].forEach((at, i) => {
        const note = series.notes[i], value = series.values[i];
        if (!note || value == null) return;
        const text = note.split(":")[0];
        if (text.length > 12) return;
        const width = ctx.measureText(text).width / 2 + 2 * ratio, height = (FONT / 2 + 1) * ratio;
        const x = u.valToPos(at, "x", true);
        const y = u.valToPos(value, "y", true);
        const centre = y - 14 * ratio > u.bbox.top + height ? y - 14 * ratio : y + 14 * ratio;
        if (taken.some(([a, b, w, h]) => Math.abs(a - x) < w + width && Math.abs(b - centre) < h + height)) return;
        taken.push([x, centre, width, height]);
        ctx.fillText(text, x, centre);
      });
    });
    ctx.restore();
  }

  function axisFont() { return { font: font(), stroke: () => colour("soft"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1, size: 4 }, labelFont: font(), labelSize: 18, labelGap: 0 }; }

  function options(figure, chart, log) {
    const overTime = chart.x == null;
    const marks = overTime ? clock.marks : chart.marks;
    const width = Math.max(240, figure.clientWidth);
    const phone = width < 480;
    const top = 8 + (marks.length ? LANES * LANE : 0);
    const values = (u, splits) => splits.map((v) => (v == null ? "" : short(v)));
    const ySize = (u, texts) => 16 + Math.max(...(texts || [""]).map((text) => (text || "").length)) * 7;
    const axis = overTime ? { name: clock.start == null ? clock.name : "time, UTC", unit: clock.start == null ? unit[2] : "" } : chart.x;
    const label = (axis) => [axis.name, axis.unit].filter(Boolean).join(", ");
    const day = (u) => u.scales.x.max - u.scales.x.min > 2 * 86400;
    return {
      width, height: (overTime ? 260 : 340) - (phone ? 30 : 0),
      // The last tick's text reaches half its width over the end: numbers and clocks are long, short times are not.
      padding: [top, overTime && clock.start == null ? 14 : 32, 0, 0],
      legend: { show: false },
      focus: { alpha: 0.35 },
      cursor: {
        drag: { x: true, y: false, uni: 20 },
        points: { size: 7 },
        ...(overTime ? { sync: { key: "time", scales: ["x", null] } } : { focus: { prox: 24 } }),
      },
      scales: {
        x: {
          time: false,
          distr: overTime || chart.x.scale !== "log" ? 1 : 3,
          range: overTime ? undefined : (u, low, high) => around(chart, low, high),
        },
        y: { distr: log ? 3 : 1, range: scaleY(chart, log) },
      },
      axes: [
        {
          ...axisFont(), size: 34, label: label(axis), space: phone ? 64 : 80,
          ...(overTime
            ? {
                splits: timeSplits,
                values: (u, splits) => splits.map((at) => (clock.start == null ? told(at / unit[1]) : new Date(clock.start + at * 1000).toISOString().slice(...(day(u) ? [5, 10] : [11, unit[1] === 1 ? 19 : 16])))),
              }
            : chart.x.scale === "log" ? { values, splits: logSplits, filter: apart("x", 60) } : { values }),
        },
        { ...axisFont(), size: ySize, label: label(chart.y) + (log ? " (log scale)" : ""), values, space: 34, ...(log ? { splits: logSplits, filter: apart("y", 14) } : {}) },
      ],
      series: [{}].concat(chart.series.map((series, i) => ({
        label: series.name,
        show: !(chart.hidden && chart.hidden.has(i)),
        stroke: () => colour(tone(i)),
        width: series.style === "points" ? 0 : 1.75,
        dash: series.style === "points" ? [] : dash(i),
        paths: series.style === "points" ? () => null : undefined,
        points: { show: series.style !== "line" || lonely(series), size: series.style === "line" ? 4 : 8, width: 2, fill: () => (series.style === "marked" ? colour(tone(i)) : colour("page")) },
      }))),
      hooks: {
        draw: [(u) => { drawMarks(u, marks); drawLimits(u, chart, log); drawNumbers(u, chart); }],
        setCursor: [(u) => tell(figure, chart, u)],
      },
    };
  }

  // Points without a neighbour make no line.
  function lonely(series) {
    const known = series.values.filter((v) => v != null).length;
    return known <= 2 || series.values.every((v, i, all) => v == null || (all[i - 1] == null && all[i + 1] == null));
  }

  function around(chart, low, high) {
    for (const mark of chart.marks) { low = Math.min(low, mark.from); high = Math.max(high, mark.until == null ? mark.from : mark.until); }
    if (chart.x.scale === "log") return [low * 0.94, high * 1.06];
    const room = (high - low || Math.abs(high) || 1) * 0.05;
    return [low - room < 0 && low >= 0 ? 0 : low - room, high + room];
  }

  // Values under the cursor: in the legend, and what is told of the point in the line below.
  function tell(figure, chart, u) {
    const at = u.cursor.idx;
    const outputs = figure.querySelectorAll(".legend output");
    let note = "";
    chart.series.forEach((series, i) => {
      const value = at == null ? null : u.data[i + 1][at];
      outputs[i].textContent = withUnit(value, chart.y.unit);
      if (value != null && series.notes.length) note += (note ? " · " : "") + series.name + ", " + series.notes[data.positions[series.at].indexOf(u.data[0][at])];
    });
    const where = at == null ? "" : chart.x == null ? instant(u.data[0][at]) : [chart.x.name, withUnit(u.data[0][at], chart.x.unit)].filter(Boolean).join(" ");
    figure.querySelector(".readout").textContent = [where, note].filter(Boolean).join(": ");
  }

  function legend(figure, chart) {
    const place = figure.querySelector(".legend");
    place.textContent = "";
    chart.series.forEach((series, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.title = "Hide or show " + series.name;
      const key = document.createElement("i");
      key.style.color = "var(--" + tone(i) + ")";
      if (series.style === "points") key.className = "points";
      else key.style.borderTopStyle = dash(i).length ? (dash(i)[0] < 5 ? "dotted" : "dashed") : "solid";
      button.append(key, series.name, document.createElement("output"));
      button.querySelector("output").textContent = "–";
      button.addEventListener("click", () => {
        const hide = button.getAttribute("aria-pressed") === "true";
        button.setAttribute("aria-pressed", hide ? "false" : "true");
        chart.hidden = chart.hidden || new Set();
        if (hide) chart.hidden.add(i); else chart.hidden.delete(i);
        drawn.get(figure).setSeries(i + 1, { show: !hide });
      });
      place.append(button);
    });
    for (const limit of chart.limits) {
      const text = document.createElement("span");
      text.className = "soft";
      text.textContent = "‒ ‒ " + limit.name + (ySpan(chart, chart.y.scale === "log").shown.includes(limit) ? "" : " (above the chart)");
      place.append(text);
    }
    if (chart.y.scale === "log") {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "scale";
      button.textContent = "even scale";
      button.addEventListener("click", () => {
        chart.even = !chart.even;
        button.textContent = chart.even ? "log scale" : "even scale";
        draw(figure, chart);
      });
      place.append(button);
    }
  }

  // The table behind a chart, made when it is first opened.
  function table(figure, chart) {
    const details = figure.querySelector(".values");
    details.addEventListener("toggle", () => {
      if (!details.open || details.querySelector("table")) return;
      const [at, ...values] = columns(chart);
      const head = [chart.x == null ? (clock.start == null ? clock.name : "time, UTC") : chart.x.name + (chart.x.unit ? ", " + chart.x.unit : "")]
        .concat(chart.series.map((series) => series.name + (chart.y.unit ? ", " + chart.y.unit : "")));
      const made = document.createElement("table");
      const row = (cells, tag, place) => {
        const line = document.createElement("tr");
        cells.forEach((text, i) => {
          const cell = document.createElement(tag);
          if (tag === "th") cell.scope = "col";
          cell.className = i || tag === "td" ? "n" : "";
          cell.textContent = text;
          line.append(cell);
        });
        place.append(line);
      };
      row(head, "th", made.createTHead());
      const body = made.createTBody();
      at.forEach((x, i) => row([chart.x == null ? instant(x) : told(x)].concat(values.map((of) => told(of[i]))), "td", body));
      const wide = document.createElement("div");
      wide.className = "wide";
      wide.tabIndex = 0;
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", "Values of " + chart.heading);
      wide.append(made);
      details.append(wide);
    });
  }

  function draw(figure, chart) {
    const had = drawn.get(figure);
    const log = chart.y.scale === "log" && !chart.even;
    const zoom = had && { min: had.scales.x.min, max: had.scales.x.max };
    if (had) { timeCharts.delete(had); had.destroy(); }
    const u = new uPlot(options(figure, chart, log), columns(chart, log), figure.querySelector(".plot"));
    drawn.set(figure, u);
    if (chart.x == null) {
      timeCharts.add(u);
      u.setScale("x", zoom || { min: 0, max: clock.span });
      u.over.addEventListener("dblclick", () => zoomTo(0, clock.span));
    }
  }

  function zoomTo(min, max) { timeCharts.forEach((u) => u.setScale("x", { min, max })); }

  // Buttons for those who cannot drag: all charts over time at once.
  function tools(first) {
    const bar = document.createElement("div");
    bar.className = "tools";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Zoom of all charts over time");
    const step = (text, action) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => {
        const u = timeCharts.values().next().value;
        action(u.scales.x.min, u.scales.x.max);
      });
      bar.append(button);
    };
    const within = (low, high) => { const width = Math.min(high - low, clock.span); low = Math.min(Math.max(0, low), clock.span - width); zoomTo(low, low + width); };
    step("Zoom in", (low, high) => within(low + (high - low) / 4, high - (high - low) / 4));
    step("Zoom out", (low, high) => within(low - (high - low) / 2, high + (high - low) / 2));
    step("Earlier", (low, high) => within(low - (high - low) / 2, high - (high - low) / 2));
    step("Later", (low, high) => within(low + (high - low) / 2, high + (high - low) / 2));
    step("All", () => zoomTo(0, clock.span));
    const hint = document.createElement("span");
    hint.textContent = "Drag over a chart to zoom; double-click shows all.";
    bar.append(hint);
    first.before(bar);
  }

  function redraw() { drawn.forEach((u, figure) => { if (figure.clientWidth) draw(figure, data.charts[+figure.dataset.chart]); }); }

  const figures = [...document.querySelectorAll("figure.chart")];
  for (const figure of figures) {
    const chart = data.charts[+figure.dataset.chart];
    legend(figure, chart);
    table(figure, chart);
    // Folded charts have no width until they are opened.
    new ResizeObserver(() => {
      const width = figure.clientWidth, u = drawn.get(figure);
      if (!width) return;
      if (!u) draw(figure, chart);
      else if (Math.abs(u.width - width) > 1) draw(figure, chart);
    }).observe(figure);
    if (figure.clientWidth) draw(figure, chart);
  }
  const first = figures.find((figure) => data.charts[+figure.dataset.chart].x == null);
  if (first) tools(first);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", redraw);
  addEventListener("afterprint", redraw);
  document.documentElement.dataset.drawn = String(drawn.size);
})();
