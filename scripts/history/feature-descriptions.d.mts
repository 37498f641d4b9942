export function descriptionsOf(source: string): ReadonlyMap<string, string>
