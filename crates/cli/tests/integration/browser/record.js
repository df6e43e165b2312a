// Keeps what is drawn as text on each canvas: the text, its corners on the canvas, and its size; a cleared canvas has none.
(() => {
  const drawn = (window.__drawn = new Map());
  const context = CanvasRenderingContext2D.prototype;
  const of = (canvas) => { if (!drawn.has(canvas)) drawn.set(canvas, []); return drawn.get(canvas); };
  const fillText = context.fillText;
  context.fillText = function (text, x, y, ...rest) {
    const m = this.measureText(text), t = this.getTransform();
    const left = x - m.actualBoundingBoxLeft, right = x + m.actualBoundingBoxRight;
    const top = y - m.actualBoundingBoxAscent, bottom = y + m.actualBoundingBoxDescent;
    const corners = [[left, top], [right, top], [left, bottom], [right, bottom]].map(([a, b]) => [t.a * a + t.c * b + t.e, t.b * a + t.d * b + t.f]);
    if (String(text).trim()) of(this.canvas).push({ text: String(text), corners, colour: this.fillStyle, size: parseFloat(this.font.match(/([\d.]+)px/)[1]) });
    return fillText.call(this, text, x, y, ...rest);
  };
  const clearRect = context.clearRect;
  context.clearRect = function (x, y, w, h) {
    if (w >= this.canvas.width && h >= this.canvas.height) drawn.delete(this.canvas);
    return clearRect.call(this, x, y, w, h);
  };
})();
