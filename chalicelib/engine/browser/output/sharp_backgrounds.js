// Gives repeated drawings and gradients in backgrounds the form of pictures, PIXEL_RATIO pixels a side
// for one of CSS: the browser prints a repeated picture as a pattern, and draws what else repeats with
// 72 dots an inch. Runs in the isolated world. Returns how many backgrounds were changed.
async (pixelRatio, maxElements, maxTiles, maxChars, maxPixels, maxSide, maxWaitMs) => {
  const MIN_RATIO = 1;
  const MAX_TILE_CHARS = 500_000;
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const create = (name) => Document.prototype.createElement.call(document, name);
  const changed = window.platenBackgrounds = [];
  const tiles = new Map();
  let pixelsLeft = maxPixels, charsLeft = maxChars;

  // Values of a list whose functions and strings may have commas.
  const layersOf = (list) => {
    const layers = [];
    let depth = 0, quote = '', begin = 0;
    for (let place = 0; place < list.length; place++) {
      const letter = list[place];
      if (letter === '\\') place++;
      else if (quote) { if (letter === quote) quote = ''; }
      else if (letter === '"' || letter === "'") quote = letter;
      else if (letter === '(') depth++;
      else if (letter === ')') depth--;
      else if (letter === ',' && !depth) {
        layers.push(list.slice(begin, place).trim());
        begin = place + 1;
      }
    }
    return [...layers, list.slice(begin).trim()];
  };
  const within = (promise) => Promise.race([
    promise, new Promise((done) => setTimeout(done, maxWaitMs, null))]);
  const load = (source) => within(new Promise((done) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => done(null);
    image.src = source;
  }));
  const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const gradientSource = (gradient, width, height) => `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject `
    + 'width="100%" height="100%"><div xmlns="http://www.w3.org/1999/xhtml" '
    + `style="width:100%;height:100%;background:${escape(gradient)}"></div></foreignObject></svg>`)}`;
  const drawTile = async (image, width, height) => {
    const ratio = Math.min(pixelRatio, maxSide / width, maxSide / height);
    const across = Math.round(width * ratio), down = Math.round(height * ratio);
    if (ratio < MIN_RATIO || !across || !down || across * down > pixelsLeft) return null;
    pixelsLeft -= across * down;
    const canvas = create('canvas');
    [canvas.width, canvas.height] = [across, down];
    const context = HTMLCanvasElement.prototype.getContext.call(canvas, '2d');
    try {
      context.drawImage(image, 0, 0, across, down);
      const source = HTMLCanvasElement.prototype.toDataURL.call(canvas);
      return source.length > MAX_TILE_CHARS ? null : source;
    } catch { return null; /* Of another origin. */ }
  };

  // The side of an area that a size of `background-size` takes; null for `auto`.
  const sideOf = (size, area) => {
    const number = parseFloat(size);
    return Number.isNaN(number) ? null : size.endsWith('%') ? number * area / 100 : number;
  };
  const areaOf = (element, style, origin) => {
    const sides = ['Left', 'Right'], ends = ['Top', 'Bottom'];
    const sum = (names, kind, end) => names.reduce(
      (all, name) => all + parseFloat(style[`${kind}${name}${end}`] || 0), 0);
    let width = element.clientWidth, height = element.clientHeight;
    if (origin === 'content-box') {
      width -= sum(sides, 'padding', '');
      height -= sum(ends, 'padding', '');
    } else if (origin === 'border-box') {
      width += sum(sides, 'border', 'Width');
      height += sum(ends, 'border', 'Width');
    }
    return [width, height];
  };
  // The picture of a layer and its size; null for one that stays.
  const sharpLayer = async (layer, sizeText, area) => {
    const isGradient = /^[a-z-]*gradient\(/i.test(layer);
    const source = /^url\("((?:[^"\\]|\\.)*)"\)$/s.exec(layer)?.[1].replace(/\\(.)/gs, '$1');
    if (!isGradient && !/^data:image\/svg|\.svg(?:[?#]|$)/i.test(source ?? '')) return null;
    const [first, second = 'auto'] = sizeText.split(/\s+/);
    let [width, height] = [sideOf(first, area[0]), sideOf(second, area[1])];
    let image = null, size = sizeText;
    if (isGradient) {
      size = `${width === null ? '100%' : first} ${height === null ? '100%' : second}`;
      [width, height] = [width ?? area[0], height ?? area[1]];
      // One that fills its box is printed as it is.
      if (width >= area[0] && height >= area[1]) return null;
    } else {
      image = await load(source);
      const [across, down] = [image?.naturalWidth, image?.naturalHeight];
      if (!across || !down || /cover|contain/.test(sizeText)) return null;
      if (width === null && height === null) {
        [width, height] = [across, down];
        size = `${width}px ${height}px`;
      }
      [width, height] = [width ?? height * across / down, height ?? width * down / across];
    }
    if (!(width > 0 && height > 0)) return null;
    const key = `${layer} ${width} ${height}`;
    if (!tiles.has(key)) {
      if (tiles.size >= maxTiles) return null;
      image ??= await load(gradientSource(layer, width, height));
      tiles.set(key, image && await drawTile(image, width, height));
    }
    const tile = tiles.get(key);
    return tile && [`url("${tile}")`, size];
  };
  const sharpen = async (element) => {
    const style = getComputedStyle(element), images = style.backgroundImage;
    charsLeft -= images.length;
    if (charsLeft < 0 || !/url\(|gradient\(/.test(images)) return;
    const layers = layersOf(images);
    const cycle = (list, place) => list[place % list.length];
    const [repeats, sizes, origins] = ['backgroundRepeat', 'backgroundSize', 'backgroundOrigin']
      .map((name) => layersOf(style[name]));
    const sharp = await Promise.all(layers.map((layer, place) =>
      /^repeat(-[xy])?$|^repeat no-repeat$|^no-repeat repeat$/.test(cycle(repeats, place))
        ? sharpLayer(layer, cycle(sizes, place), areaOf(element, style, cycle(origins, place)))
        : null));
    charsLeft -= sharp.reduce((all, each) => all + (each?.[0].length ?? 0), 0);
    if (charsLeft < 0 || !sharp.some(Boolean)) return;
    changed.push([element, Element.prototype.getAttribute.call(element, 'style')]);
    const set = (name, values) => element.style.setProperty(name, values.join(', '), 'important');
    set('background-image', sharp.map((found, place) => found?.[0] ?? layers[place]));
    set('background-size', sharp.map((found, place) => found?.[1] ?? cycle(sizes, place)));
  };

  const walker = Document.prototype.createTreeWalker.call(
    document, own('documentElement'), NodeFilter.SHOW_ELEMENT);
  let element = walker.currentNode;
  for (let seen = 0; element && seen < maxElements && charsLeft > 0; seen++, element = walker.nextNode()) {
    if (element instanceof HTMLElement) await sharpen(element);
  }
  return changed.length;
}
