import { expect, it } from 'vitest'
import { viewOfAnswer } from '../../src/view/view-of-answer.js'
import { outline } from '../support/view-lines.js'

it('has what happens, and below it why and what to do, with the object and the rule', () => {
  const view = viewOfAnswer({
    ...{ code: 'missingJumps', happens: 'no packet comes to web', why: 'nat/KUBE-SERVICES', todo: 'verify --script' },
    ...{ object: 'Service default/web', rule: 'nat/KUBE-SERVICES' },
  })
  expect(outline(view)).toEqual([
    'answer warning: no packet comes to web',
    '  why: why: nat/KUBE-SERVICES',
    '  todo: do: verify --script',
  ])
  const about = {
    objects: [{ kind: 'Service', namespace: 'default', name: 'web' }],
    rules: [{ language: 'iptables', place: 'nat/KUBE-SERVICES', text: '' }],
  }
  expect(view[0]).toMatchObject(about)
  expect(view[0]?.children[0]).toMatchObject(about)
  expect(view[0]?.children[1]).toMatchObject({ objects: about.objects, rules: [] })
})
