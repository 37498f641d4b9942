import { expect, it } from 'vitest'
import { outline } from '../../../compiler/test/support/view-lines.js'
import { diagnosisView } from '../../src/view/diagnosis-view.js'

it('diagnosisView returns the summary, cause, numbered steps and rule, each with its object', () => {
  const view = diagnosisView({
    ...{ code: 'missingJumps', summary: 'no packet comes to web', cause: 'nat/KUBE-SERVICES' },
    steps: [{ text: 'Restart it', command: 'reboot', impact: 'for all' }, { text: 'Wait' }],
    ...{ object: 'Service default/web', rule: 'nat/KUBE-SERVICES', ruleStatus: 'missing' },
  })
  expect(outline(view)).toEqual([
    'diagnosis warning: no packet comes to web',
    '  cause: why: nat/KUBE-SERVICES',
    '  steps: do:',
    '    action: 1. Restart it:',
    '      command: reboot',
    '      impact: impact: for all',
    '    action: 2. Wait',
    '  rule: rule: missing: nat/KUBE-SERVICES',
  ])
  const about = {
    objects: [{ kind: 'Service', namespace: 'default', name: 'web' }],
    rules: [{ subsystem: 'iptables', location: 'nat/KUBE-SERVICES', text: '' }],
  }
  expect(view[0]).toMatchObject(about)
  expect(view[0]?.children[0]).toMatchObject(about)
  expect(view[0]?.children[1]).toMatchObject({ objects: about.objects, rules: [] })
  expect(view[0]?.children[2]).toMatchObject(about)
})

it.each([
  ['node.dump:17', 'rule: line 17 of node.dump, in table filter: -A INPUT -j DROP'],
  ['c:\\dumps\\my node:3', 'rule: line 3 of c:\\dumps\\my node, in table filter: -A INPUT -j DROP'],
  ['the clipboard', 'rule: the clipboard, in table filter: -A INPUT -j DROP'],
])('diagnosisView contains the location of the rule "%s"', (location, expected) => {
  const [node] = diagnosisView({
    ...{ code: 'foreignRule', summary: 'a', cause: 'b', steps: [], object: 'Service default/web' },
    ...{ rule: '-A INPUT -j DROP', ruleStatus: 'in table filter', location },
  })
  expect(node?.children.at(-1)?.label).toBe(expected)
})
