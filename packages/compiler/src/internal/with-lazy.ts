/** A new object, to which a field is added whose value is asked for when it is read. */
export function withLazy<Fields extends object, Name extends string, Value>(
  fields: Fields,
  name: Name,
  get: () => Value,
): Fields & Readonly<Record<Name, Value>> {
  return Object.defineProperty(fields, name, { enumerable: true, get }) as Fields & Record<Name, Value>
}
