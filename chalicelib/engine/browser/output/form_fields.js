// Marks the controls of the document for AcroForm fields: over each lies a link whose URL tells the
// field, so that the PDF has its place. The controls show no values, which the fields show.
// Runs in the isolated world; `platenUnmark` undoes it.
(prefix, scale, maxControls) => {
  const TEXTS = new Set(['text', 'email', 'tel', 'url', 'search', 'number', 'date', 'time', 'month',
    'week', 'datetime-local', 'password']);
  const undo = [];
  const style = (element, rules) => {
    const before = element.getAttribute('style');
    undo.push(() => {
      // An attribute that nobody has read since it changed would be left empty, not removed.
      element.getAttribute('style');
      if (before === null) element.removeAttribute('style');
      else element.setAttribute('style', before);
    });
    for (const [name, value] of Object.entries(rules)) {
      element.style.setProperty(name, value, 'important');
    }
  };
  const kindOf = (control) => {
    if (control.localName === 'textarea') return 'multiline';
    if (control.localName === 'select') return 'select';
    if (control.type === 'checkbox' || control.type === 'radio') return control.type;
    return TEXTS.has(control.type) ? 'text' : null;
  };
  const labelOf = (control) => (control.getAttribute('aria-label') || control.title ||
    [...(control.labels ?? [])].map((label) => label.innerText.trim()).join(' ')).slice(0, 500);
  const forms = [...Document.prototype.querySelectorAll.call(document, 'form')];
  const describe = (control, kind, index) => {
    const look = getComputedStyle(control);
    const choices = kind === 'select' ? [...control.options] : [];
    const isPassword = control.type === 'password';
    return {
      index, kind, name: control.name || control.id, form: forms.indexOf(control.form),
      value: isPassword ? '' : control.value, is_on: control.checked === true,
      options: choices.map((each) => [each.value, each.label, each.selected]),
      is_list: kind === 'select' && (control.multiple || control.size > 1),
      is_multiple: control.multiple === true && kind === 'select', is_password: isPassword,
      is_read_only: control.readOnly === true || control.disabled, is_required: control.required === true,
      max_length: control.maxLength > 0 ? control.maxLength : 0, label: labelOf(control),
      size: parseFloat(look.fontSize) * 0.75 * scale, color: look.color,
      align: look.textAlign, family: look.fontFamily.slice(0, 200),
      is_bold: Number(look.fontWeight) >= 600, is_italic: look.fontStyle !== 'normal',
    };
  };
  const hideValue = (control, {kind, is_list: isList, options}) => {
    if (kind === 'checkbox' || kind === 'radio') {
      const {checked} = control;
      undo.push(() => { control.checked = checked; });
      control.checked = false;
    } else if (isList) {
      const chosen = options.map((each) => each[2]);
      undo.push(() => [...control.options].forEach((each, n) => { each.selected = chosen[n]; }));
      for (const each of control.options) each.selected = false;
    } else if (kind === 'select') {
      const {selectedIndex} = control;
      undo.push(() => { control.selectedIndex = selectedIndex; });
      control.selectedIndex = -1;
    } else if (getComputedStyle(control).fieldSizing !== 'content') {
      // What is transparent would still be in the PDF as text.
      const {value} = control;
      const hint = control.getAttribute('placeholder');
      undo.push(() => {
        control.value = value;
        if (hint !== null) control.setAttribute('placeholder', hint);
      });
      control.value = '';
      control.removeAttribute('placeholder');
    }
  };
  const host = Document.prototype.createElement.call(document, 'div');
  host.style.cssText = 'all: initial';
  const controls = [...Document.prototype.querySelectorAll.call(
    document, 'input, textarea, select')].filter(kindOf);
  controls.slice(0, maxControls).forEach((control, n) => {
    const field = describe(control, kindOf(control), n);
    hideValue(control, field);
    const anchor = `--platen-field-${n}`;
    style(control, {
      'transition': 'none', 'anchor-name': anchor, '-webkit-text-fill-color': 'transparent'});
    const link = Document.prototype.createElement.call(document, 'a');
    // Half a character has no place in a URL.
    link.href = prefix + encodeURIComponent(JSON.stringify(
      field, (_, value) => typeof value === 'string' ? value.toWellFormed() : value));
    const sides = ['left', 'top', 'right', 'bottom'].map(
      (side) => `${side}: anchor(${anchor} ${side})`);
    link.style.cssText = `all: initial; position: absolute; ${sides.join('; ')}`;
    host.append(link);
  });
  Element.prototype.append.call(
    Reflect.get(Document.prototype, 'documentElement', document), host);
  globalThis.platenUnmark = () => {
    host.remove();
    for (const step of undo.reverse()) step();
  };
  return controls.length;
}
