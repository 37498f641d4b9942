import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const SOURCES = new URL('../../src/', import.meta.url)

/** The specifiers of all that an entry loads, files of the package followed. */
function loadedBy(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const visit = (file: URL): void => {
    if (loaded.has(file.href)) return
    loaded.add(file.href)
    for (const [, typeOnly, specifier = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)( type)?\b[^'"]*? from '([^']+)'/gms,
    )) {
      if (typeOnly !== undefined) continue
      if (specifier.startsWith('.')) visit(new URL(specifier.replace(/\.js$/, '.ts'), file))
      else loaded.add(specifier)
    }
  }
  visit(new URL(`entries/${entry}`, SOURCES))
  return loaded
}

describe.each(readdirSync(new URL('entries/', SOURCES)).filter((name) => name.endsWith('.ts')))('%s', (entry) => {
  const loaded = [...loadedBy(entry)]

  it('loads nothing of Node, and nothing that touches files or a terminal', () => {
    expect(loaded.filter((each) => each.startsWith('node:'))).toEqual([])
    expect(
      loaded.filter((each) => /\/(?:files\/[^/]*|process-context|run-[^/]*|color|version)\.ts$/.test(each)),
    ).toEqual([])
    expect(loaded.filter((each) => each.startsWith('file:')).every((each) => existsSync(new URL(each)))).toBe(true)
    expect(loaded.length).toBeGreaterThan(10)
  })
})
