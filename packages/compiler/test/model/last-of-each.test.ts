import type { ObjectReference } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { lastOfEach } from '../../src/model/last-of-each.js'

const item = (name: string, text: string, namespace = 'ns') => ({
  object: { kind: 'Service', namespace, name } satisfies ObjectReference,
  text,
})

it('keeps the last object of each namespace and name', () => {
  const { byKey, diagnostics } = lastOfEach([item('a', '1'), item('a', '2', 'other'), item('a', '3')])
  expect([...byKey].map(([key, { text }]) => [key, text])).toEqual([
    ['ns/a', '3'],
    ['other/a', '2'],
  ])
  expect(diagnostics).toHaveLength(1)
})

it('warns in the order of the names, whatever the order of the objects', () => {
  const given = ['b', 'c', 'a', 'c', 'a', 'b', 'b'].map((name, index) => item(name, String(index)))
  const warned = lastOfEach(given).diagnostics.map(({ object }) => object.name)
  expect(warned).toEqual(['a', 'b', 'b', 'c'])
})

it('leaves those without a name apart, as given', () => {
  const { byKey, nameless, diagnostics } = lastOfEach([item('', '1'), item('', '2')])
  expect([byKey.size, nameless.map(({ text }) => text), diagnostics]).toEqual([0, ['1', '2'], []])
})
