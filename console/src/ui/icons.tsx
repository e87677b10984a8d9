const PATHS = {
  playground: 'M3 4.5h10M3 8h6M3 11.5h4M11 9.2v4.6l3.4-2.3z',
  templates: 'M2.500 3h11v3h-11zM2.500 8.500h5v4.500h-5zM10 8.500h3.500v4.500h-3.500z',
  renders: 'M4 2.5h5.5L12.5 5.5v8h-8.5zM9.5 2.5v3h3M6 8.5h4.5M6 11h4.5',
  invoices: 'M3.500 2.500h9v11l-1.500-1-1.500 1-1.500-1-1.500 1-1.500-1-1.500 1zM5.500 5.500h5M5.500 8h2M9.500 8h1',
  batches: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z',
  usage: 'M3 13.500h10M4.500 11V8M8 11V3.500M11.500 11V6',
  deliveries: 'M2.500 8 13.500 3 11 13 8 9.500zM8 9.500 13.500 3M5.500 9v4L8 9.500',
  reference: 'M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4',
  guides: 'M8 4.5C6.5 3.3 4.6 3 2.5 3v9.500c2.100 0 4 .3 5.500 1.500 1.500-1.200 3.400-1.500 5.500-1.500V3c-2.100 0-4 .3-5.500 1.500zM8 4.500v9.500',
  copy: 'M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z',
  down: 'M4 6.500 8 10.500l4-4',
  close: 'M4 4l8 8M12 4l-8 8',
  options: 'M2.500 5h6M11.500 5h2M2.500 11h2M7.500 11h6M10 3.500v3M6 9.500v3',
  tools: 'M2.500 4.500h7M2.500 8h4M2.500 11.500h7M11 2.500v11M13.500 5 11 2.500 8.500 5',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300 14 14',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  back: 'M9.500 4 5.500 8l4 4',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside a text, which says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
