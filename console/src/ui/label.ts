/** A name of the API as a label: `page_size` is "Page size". */
export function labelOf(name: string): string {
  const known: Record<string, string> = { html: 'HTML', css: 'CSS', pdfa: 'PDF/A', pdfua: 'PDF/UA', javascript: 'JavaScript', http: 'HTTP', einvoice: 'E-invoice', api: 'API', sas: 'SAS', id: 'ID', vat: 'VAT', bic: 'BIC', url: 'URL', line1: 'Line 1', line2: 'Line 2', line3: 'Line 3' };
  const words = name.split('_').map((word) => known[word] ?? word).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
