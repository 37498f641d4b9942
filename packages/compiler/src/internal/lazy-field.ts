/** What a field is told of, until it is, and then what was told. */
interface Box<Source, Value> {
  source: Source | undefined
  told: Value | undefined
}

/**
 * Adds a field to new objects that is told of a source when it is first read, and kept. For objects of which there are many: a getter
 * for each of them (`withLazy`) takes several times as much room.
 */
export function lazyField<Name extends string, Source extends object, Value extends object>(
  name: Name,
  tell: (source: Source) => Value,
): <Fields extends object>(fields: Fields, source: Source) => Fields & Readonly<Record<Name, Value>> {
  const box: unique symbol = Symbol(name)
  const field: PropertyDescriptor = {
    enumerable: true,
    get(this: { readonly [box]: Box<Source, Value> }): Value {
      const own = this[box]
      if (own.source !== undefined) {
        own.told = tell(own.source)
        own.source = undefined
      }
      return own.told as Value
    },
  }
  return <Fields extends object>(fields: Fields, source: Source) => {
    const boxed = Object.defineProperty(fields, box, { value: { source, told: undefined } })
    return Object.defineProperty(boxed, name, field) as Fields & Readonly<Record<Name, Value>>
  }
}
