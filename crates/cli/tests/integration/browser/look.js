// All texts of the page, written and drawn, with their places: which meet, which are too small, which are cut off.
(() => {
  const LEAST = 11, faults = [], boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  // What is scrolled or clipped away is not seen.
  const clip = (element, box) => {
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const r = at.getBoundingClientRect();
        box = { left: Math.max(box.left, r.left), right: Math.min(box.right, r.right), top: Math.max(box.top, r.top), bottom: Math.min(box.bottom, r.bottom) };
      }
    }
    return box;
  };
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement, text = node.textContent.trim();
    if (!text || parent.closest("script,style,noscript,svg,title") || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const size = parseFloat(getComputedStyle(parent).fontSize);
    let seen = false;
    for (const r of range.getClientRects()) {
      const box = clip(parent, { left: r.left, right: r.right, top: r.top, bottom: r.bottom });
      if (box.right - box.left < 1 || box.bottom - box.top < 1) continue;
      // A line box has room above and below its letters.
      const spare = Math.max(0, (box.bottom - box.top - size) / 2);
      boxes.push({ text: text.slice(0, 40), owner: node, left: box.left, right: box.right, top: box.top + spare, bottom: box.bottom - spare });
      seen = true;
    }
    if (seen && size < LEAST) faults.push("`" + text.slice(0, 40) + "` is " + size + " px");
  }
  let charts = 0;
  for (const [canvas, texts] of window.__drawn) {
    if (!canvas.isConnected || !canvas.checkVisibility()) continue;
    charts += 1;
    const at = canvas.getBoundingClientRect(), scale = at.width / canvas.width;
    for (const { text, corners, size } of texts) {
      const xs = corners.map(([x]) => at.left + x * scale), ys = corners.map(([, y]) => at.top + y * scale);
      const box = { text, owner: {}, left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
      if (size * scale < LEAST - 0.01) faults.push("`" + text + "` is drawn at " + size * scale + " px");
      if (box.left < at.left - 1 || box.right > at.right + 1 || box.top < at.top - 1 || box.bottom > at.bottom + 1) faults.push("`" + text + "` is cut off by its chart");
      boxes.push(box);
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length && boxes[j].top < boxes[i].bottom; j++) {
      const a = boxes[i], b = boxes[j];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - b.top;
      if (a.owner !== b.owner && wide > 1.5 && high > 1.5) faults.push("`" + a.text + "` meets `" + b.text + "`");
    }
  const width = document.scrollingElement.scrollWidth;
  if (width > innerWidth) faults.push("the page is " + width + " px, wider than the window");
  return { faults, charts, texts: boxes.length };
})()
