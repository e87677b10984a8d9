// Texts of the headings, in the order of the document, with a blank for each line break and between
// blocks. Runs in the isolated world. Members of `document` are read through the prototype, because
// named elements shadow them.
(maxHeadings, maxChars) => {
  const BREAKS = new Set(['BR', 'HR']);
  const headings = Document.prototype.querySelectorAll.call(
    document, 'h1, h2, h3, h4, h5, h6, [role=heading]');
  const textOf = (heading) => {
    const walker = Document.prototype.createTreeWalker.call(document, heading,
      NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let text = '', node = walker.nextNode();
    // Blocks that the walk has entered and not yet left.
    const blocks = [];
    while (node && text.length < maxChars) {
      while (blocks.length && !blocks.at(-1).contains(node)) { blocks.pop(); text += ' '; }
      if (node.nodeType === Node.TEXT_NODE) {
        text += node.data;
      } else {
        const {display} = getComputedStyle(node);
        if (display === 'none') {
          while (!(node = walker.nextSibling()) && walker.parentNode());
          continue;
        }
        if (BREAKS.has(node.nodeName)) {
          text += ' ';
        } else if (display !== 'contents' && !display.startsWith('inline')) {
          text += ' ';
          blocks.push(node);
        }
      }
      node = walker.nextNode();
    }
    return text.replace(/\s+/g, ' ').trim().slice(0, maxChars);
  };
  return [...headings].slice(0, maxHeadings).map(textOf);
}
