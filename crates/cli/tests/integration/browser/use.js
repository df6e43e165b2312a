// Uses the page of a run: the cursor, the zoom, the legend, the scale, the table behind a chart.
(async () => {
  const faults = [];
  const check = (said, holds) => { if (!holds) faults.push(said); };
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const figures = [...document.querySelectorAll("figure.chart")];
  const named = (heading) => figures.find((figure) => figure.querySelector("h3").textContent === heading);
  const values = (figure) => [...figure.querySelectorAll("output")].map((output) => output.textContent);
  const [throughput, latency] = [named("Throughput"), named("Latency of operations")];

  const over = throughput.querySelector(".u-over"), box = over.getBoundingClientRect();
  over.dispatchEvent(new MouseEvent("mouseenter", { bubbles: true }));
  over.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }));
  await frame();
  check("the value under the cursor is not shown", values(throughput).every((text) => /\d/.test(text)));
  check("one cursor is not over all charts", values(latency).every((text) => /\d.*ms/.test(text)));
  check("the instant under the cursor is not told", /\d+ s/.test(throughput.querySelector(".readout").textContent));

  const axis = () => [...window.__drawn.get(latency.querySelector("canvas"))].map((one) => one.text).join(" ");
  const whole = axis();
  const press = async (text, within = document) => {
    [...within.querySelectorAll("button")].find((button) => button.textContent === text).click();
    await frame();
  };
  await press("Zoom in");
  check("zooming one chart does not zoom the others", axis() !== whole);
  await press("All");
  check("`All` does not show all", axis() === whole);

  check("latencies are not on a log scale", whole.includes("(log scale)"));
  await press("even scale", latency);
  check("the scale of latencies cannot be changed", !axis().includes("(log scale)"));

  const series = latency.querySelector(".legend button");
  series.click();
  check("a series cannot be hidden", series.getAttribute("aria-pressed") === "false");
  series.click();
  check("a hidden series cannot be shown again", series.getAttribute("aria-pressed") === "true");

  const details = latency.querySelector("details");
  details.open = true;
  await new Promise((done) => setTimeout(done, 50));
  check("the table behind a chart is empty", details.querySelectorAll("tbody tr").length > 10);
  check("the table has no column for each series", details.querySelectorAll("thead th").length === 3);

  const text = [...window.__drawn.get(throughput.querySelector("canvas"))].map((one) => one.text).join("|");
  check("events are not labelled on the time axis: " + text, text.includes("1 n1/data slow 20x for 15s"));
  const disks = [...window.__drawn.get(named("Latency of each disk").querySelector("canvas"))].map((one) => one.text).join("|");
  check("the disk that is 20 times as slow is off the chart: " + disks, disks.includes("|20|") || disks.includes("|50|"));
  for (const figure of figures) check("a chart has no name for those who do not see it", figure.querySelector("[role=img]").getAttribute("aria-label").length > 10);
  return { faults };
})()
