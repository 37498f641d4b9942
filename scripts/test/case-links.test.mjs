import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { requestOfCase } from '../../packages/playground/builder/examples.ts'
import { readExamples } from '../../packages/playground/builder/gallery.ts'
import { createEngine } from '../../packages/playground/src/engine/engine.ts'
import { parseLocation } from '../../packages/playground/src/question/location.ts'
import { readCases } from '../troubleshooting/read-cases.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const examples = readExamples()
const findExample = (name) => examples.find((each) => each.name === name)?.question

/** The output of the first command of a case, without the notes, and with the name that the page has for a dump. */
function firstOutput(answer) {
  const [, output = ''] = /^\$ .*\n((?:(?!\$ ).*\n)*)/.exec(answer) ?? []
  return output
    .replace(/^(?:note|warning|info): .*\n|\(exit code \d\)\n/gm, '')
    .replaceAll(/\S+\.dump\b/g, 'dump')
    .trim()
}

it.each(readCases(pathOf('fixtures')))(
  'the link of $path opens its answer',
  async ({ page, question, answer, files }) => {
    const text = readFileSync(pathOf(`docs/troubleshooting/cases/${page}.md`), 'utf8')
    const [hash = ''] = /(?<=\/playground\/)#[^)]*/.exec(text) ?? []
    const { request, view } = await parseLocation(hash, findExample)
    expect(view).toBe('page')
    expect(request).toEqual(requestOfCase(question, files))
    if (request === undefined) throw new Error('the link has no request')
    const engine = createEngine()
    const shown = /^kube-rules explain/.test(question)
      ? engine.answer('packet', request).text
      : engine.answer('dump', request).reportText
    // The page has one field for the dumps of both back ends.
    expect(shown.trim().replaceAll(/iptables-(?:nft|legacy) of (?=dump)/g, '')).toBe(firstOutput(answer))
  },
)
