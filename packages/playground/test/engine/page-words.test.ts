import type { ViewNode } from '@kube-rules/analyzer/view'
import { describe, expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { createEngine } from '../../src/engine/engine.js'
import { rewordMessage } from '../../src/engine/page-words.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'
import { KIND_LIST } from '../support/pastes.js'

describe('rewordMessage', () => {
  it.each([
    [
      'warning: cluster.yaml, document 3: Node a: hostnameOverride: no node is named b [unknownNode]',
      'warning: Node a: hostnameOverride: no node is named b',
    ],
    ['error: cluster.yaml, document 2, line 41, column 4: unexpected ]', 'error: line 41, column 4: unexpected ]'],
    ['error: cluster.yaml, line 3, column 1: the end', 'error: line 3, column 1: the end'],
    ['error: host.yaml: expected a mapping', 'error: the node’s interfaces: expected a mapping'],
    ['error: dump:12:1: expected a rule', 'error: line 12 of the dump: expected a rule'],
    [
      'impact: existing connections continue; to check, repeat this kube-rules command with a new dump: it finds no differences',
      'impact: existing connections continue; to check, paste a new dump: it has no drift',
    ],
    ['nothing listens on [fd00::1]', 'nothing listens on [fd00::1]'],
  ])('turns %j into words of the page', (message, expected) => {
    expect(rewordMessage(message)).toBe(expected)
  })
})

describe('the page', () => {
  const labelsOf = (view: readonly ViewNode[]): readonly string[] =>
    view.flatMap(({ label, children }) => [label, ...labelsOf(children)])

  it('names no file, code or option of the command in its messages', () => {
    const questions = [
      ...readExamples().map(({ question }) => question),
      { ...DEFAULT_REQUEST, objects: `${KIND_LIST}\n---\nx: [`, packet: 'node:31080' },
      { ...DEFAULT_REQUEST, dump: '*nat\n-A KUBE-SERVICES foo\n', packet: 'node:31080' },
    ]
    const messages = questions.flatMap((question) => {
      const engine = createEngine()
      const { failure, problems } = engine.answer('rules', question)
      const packet = engine.answer('packet', question)
      const dump = engine.answer('dump', question)
      return [
        ...[failure, packet.problem, dump.problem, ...problems.map(({ text }) => text), ...dump.notes],
        ...[...labelsOf(packet.diagnoses), ...labelsOf(dump.diagnoses)].filter((label) => !label.startsWith('rule: ')),
      ]
    })
    expect(messages.length).toBeGreaterThan(100)
    expect(
      messages.filter((text) =>
        /(?:cluster|host)\.yaml|\bdump:\d|repeat this|--dump|--node-address|\[[a-z]\w+\]$/.test(text),
      ),
    ).toEqual([])
  })
})
