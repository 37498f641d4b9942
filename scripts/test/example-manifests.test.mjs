import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const EXAMPLES = join(import.meta.dirname, '../../examples')
/** The files that run something. The folders `manifests` are input of kube-rules. */
const files = readdirSync(EXAMPLES, { recursive: true }).filter(
  (name) => /(?:Dockerfile|\.yaml)$/.test(name) && !/node_modules|manifests\//.test(name),
)
const linesOf = (name) => readFileSync(join(EXAMPLES, name), 'utf8').split('\n')

/** Returns the images of registries in a file, with the comment before each one. Own images are built by the reader. */
function imagesOf(name) {
  const lines = linesOf(name)
  return lines.flatMap((line, index) => {
    const [, image] = /^(?:\s*image: |FROM |ARG BASE=)(\S+)/.exec(line) ?? []
    if (image === undefined || /^(?:\$|-|IMAGE$|rules-of-nodes)/.test(image)) return []
    const before = lines.slice(0, index).findLastIndex((each) => !/^\s*#/.test(each))
    return [{ name, image, comment: lines.slice(before + 1, index).join('\n') }]
  })
}

it('names images of examples by digest, or gives the reason', () => {
  const images = files.flatMap(imagesOf)
  expect(images.length).toBeGreaterThanOrEqual(3)
  expect(
    images.filter(({ image, comment }) => !image.includes('@sha256:') && !comment.includes('No digest: ')),
  ).toEqual([])
})

it.each(files.filter((name) => /^ +(?:initContainers|containers):/m.test(linesOf(name).join('\n'))))(
  'limits the memory of each container in %s',
  (name) => {
    const lines = linesOf(name)
    const count = (pattern) => lines.filter((line) => pattern.test(line)).length
    expect(count(/^ +image: /)).toBeGreaterThan(0)
    expect(count(/^ +limits:/)).toBe(count(/^ +image: /))
  },
)
