export function MakeView() { return null; }
