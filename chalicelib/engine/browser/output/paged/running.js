// Fills the document with sheets of running elements, one for each page that is drawn, and hides the
// rest of it. Each element is cloned with what stands around it, so that its style stays. Returns the
// numbers of elements that are higher than their boxes, or for which there is no room any more.
async (sheets) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const create = (name, style) => {
    const element = Document.prototype.createElement.call(document, name);
    element.style.cssText = style;
    return element;
  };
  const body = own('body'), {elements} = globalThis.platenMarks;
  const texts = [...body.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  const hidden = texts.map((text) => {
    const stub = Document.prototype.createComment.call(document, '');
    text.replaceWith(stub);
    return [text, stub];
  });
  const copy = (element) => {
    let whole = element.cloneNode(true);
    const drawn = element.getElementsByTagName('canvas');
    for (const [number, canvas] of [...whole.getElementsByTagName('canvas')].entries()) {
      if (drawn[number].width && drawn[number].height) {
        canvas.getContext('2d')?.drawImage(drawn[number], 0, 0);
      }
    }
    for (const numbered of [whole, ...whole.querySelectorAll('[style*="--platen-page"]')]) {
      numbered.style.removeProperty('--platen-page');
    }
    for (let around = element.parentElement; around && around !== body; around = around.parentElement) {
      const shell = around.cloneNode(false);
      shell.style.setProperty('display', 'contents', 'important');
      shell.append(whole);
      whole = shell;
    }
    return whole;
  };
  // As many elements as a document may have.
  let left = 1000000;
  const cells = [], high = new Set();
  const container = create('platen-sheets', 'display: block !important');
  for (const {style, boxes} of sheets) {
    const sheet = create('platen-sheet', style);
    for (const {mark, sideStyle, cellStyle} of boxes) {
      left -= 1 + elements[mark].getElementsByTagName('*').length;
      if (left < 0) { high.add(mark); continue; }
      const side = create('platen-side', sideStyle), cell = create('platen-cell', cellStyle);
      cell.append(copy(elements[mark]));
      side.append(cell);
      cells.push([mark, side, cell]);
      sheet.append(side);
    }
    container.append(sheet);
  }
  body.append(container);
  // Styles of their own may hold against the sheet that hides them.
  const kept = [...body.children].filter((child) => child !== container
    && getComputedStyle(child).display !== 'none').map((child) => [child, child.getAttribute('style')]);
  for (const [child] of kept) child.style?.setProperty('display', 'none', 'important');
  globalThis.platenRunning = {container, hidden, kept};
  container.getBoundingClientRect();
  await own('fonts').ready;
  await Promise.all([...container.querySelectorAll('img')].map(
    (image) => image.decode().catch(() => null)));
  for (const [mark, side, cell] of cells) {
    if (cell.scrollHeight * cell.currentCSSZoom > side.clientHeight + 1) high.add(mark);
  }
  return [...high];
}
