type Tells = Readonly<Record<string, (source: never) => unknown>>

type SourceOf<T extends Tells> = Parameters<T[keyof T]>[0]

/** Fields that are told of one source, each when it is first read, and kept. */
export type LazyFields<T extends Tells> = { readonly [Name in keyof T]: ReturnType<T[Name]> }

/** A source, until all is told of it, and what was told. */
interface Box {
  source: unknown
  told: Readonly<Record<string, unknown>>
}

const NOTHING: Box['told'] = {}

/**
 * Adds fields to new objects that are told of a source. For objects of which there are many: getters for each of them (`withLazy`)
 * take several times as much room.
 */
export function lazyFields<T extends Tells>(
  tells: T,
): <Fields extends object>(fields: Fields, source: SourceOf<T>) => Fields & LazyFields<T> {
  const box = Symbol('box')
  const names = Object.keys(tells)
  const properties = names.map((name) => [name, fieldOf(name)] as const)
  return <Fields extends object>(fields: Fields, source: SourceOf<T>) => {
    Object.defineProperty(fields, box, { value: { source, told: NOTHING } satisfies Box })
    for (const [name, field] of properties) Object.defineProperty(fields, name, field)
    return fields as Fields & LazyFields<T>
  }

  function fieldOf(name: string): PropertyDescriptor {
    const tell = tells[name] as (source: unknown) => unknown
    return {
      enumerable: true,
      get(this: Readonly<Record<symbol, Box>>): unknown {
        const own = this[box] as Box
        if (!Object.hasOwn(own.told, name)) {
          own.told = { ...own.told, [name]: tell(own.source) }
          if (Object.keys(own.told).length === names.length) own.source = undefined
        }
        return own.told[name]
      },
    }
  }
}
