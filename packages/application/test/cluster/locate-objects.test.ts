import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LocatedObject, locateObjects } from '../../src/cluster/locate-objects.js'

const TWO = `# a comment
kind: Service
metadata:
  name: "web"   # quoted
  namespace: 'shop'
spec:
  ports:
    - name: http
      port: 80
    - {name: dns, port: 53}

---
kind: List
items:
- kind: Service
  metadata: {name: x, namespace: shop}
  spec:
    ports:
    - port: 81
- kind: EndpointSlice
  metadata:
    name: y
`

function summaryOf({ object, lines }: LocatedObject): string {
  return `${object.kind} ${object.namespace ?? ''}/${object.name} ${lines.from}-${lines.to}`
}

describe('locateObjects', () => {
  it('finds the position of each object in documents and lists', () => {
    expect(locateObjects(TWO).map(summaryOf)).toEqual([
      'Service shop/web 1-9',
      'Service shop/x 14-18',
      'EndpointSlice /y 19-21',
    ])
  })

  it('finds the position of a path, or of its existing prefix', () => {
    const [web, x] = locateObjects(TWO)
    expect(web?.linesOf('spec.ports[0].port')).toEqual({ from: 8, to: 8 })
    expect(web?.linesOf('spec.ports[0]')).toEqual({ from: 7, to: 8 })
    expect(web?.linesOf('spec.ports[1].port')).toEqual({ from: 9, to: 9 })
    expect(web?.linesOf('spec.ports[1].nodePort')).toEqual({ from: 9, to: 9 })
    expect(web?.linesOf('metadata.name')).toEqual({ from: 3, to: 3 })
    expect(web?.linesOf('status')).toEqual({ from: 1, to: 9 })
    expect(x?.linesOf('spec.ports[0].port')).toEqual({ from: 18, to: 18 })
  })

  it('finds objects in JSON', () => {
    const text = JSON.stringify(
      { items: [{ kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 1 }] } }] },
      null,
      1,
    )
    const [service] = locateObjects(text)
    expect(service?.object).toEqual({ kind: 'Service', name: 'a' })
    expect(text.split('\n')[service?.linesOf('spec.ports[0].port').from ?? 0]?.trim()).toBe('"port": 1')
  })

  it('finds every object of the fixtures at the right lines', () => {
    const folder = new URL('../../../../fixtures/', import.meta.url)
    const names = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/cluster.yaml`, folder)))
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) {
      const text = readFileSync(new URL(`${name}/cluster.yaml`, folder), 'utf8')
      expect(locateObjects(text).length, name).toBe(text.match(/^kind: /gm)?.length)
    }
  })

  it('finds the end of flow collections and of implicit values', () => {
    const text =
      'kind: Service\nmetadata: { name: "a",\n  labels: {\n  }, # }\n  }\nspec:\nstatus: &x [\n  1 ]\nother: *x\n'
    const [service] = locateObjects(text)
    expect(service?.lines).toEqual({ from: 0, to: 8 })
    expect(service?.linesOf('metadata')).toEqual({ from: 1, to: 4 })
    expect(service?.linesOf('metadata.labels')).toEqual({ from: 2, to: 3 })
    expect(service?.linesOf('spec.ports[0]')).toEqual({ from: 5, to: 5 })
    expect(service?.linesOf('status[0]')).toEqual({ from: 7, to: 7 })
    expect(service?.linesOf('other.a')).toEqual({ from: 8, to: 8 })
  })

  it('does not throw for an arbitrary text', () => {
    const piece = fc.constantFrom(
      'kind: ',
      'Service',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      '---\n',
      'a',
      '&x ',
      '*x',
      '|\n',
      '#',
      '\t',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('')
        const last = text.split('\n').length - 1
        const placed = locateObjects(text)
        expect(placed.length).toBeLessThanOrEqual(last + 1)
        for (const { lines, linesOf } of placed) {
          for (const { from, to } of [lines, linesOf('a.b[0]')]) {
            expect(from).toBeLessThanOrEqual(to)
            expect(to).toBeLessThanOrEqual(last)
          }
        }
      }),
    )
  })
})

describe('locateObjects for consecutive texts', () => {
  it('returns the same objects for each text as a fresh call', () => {
    const piece = fc.constantFrom(...TWO.split(/(?<=\n)/), '---\n', 'items:\n', '- kind: Service\n', '  kind: Node\n')
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        const known = new Map()
        for (const each of texts) {
          expect(locateObjects(each, known).map(summaryOf)).toEqual(locateObjects(each).map(summaryOf))
        }
      }),
    )
  })
})
