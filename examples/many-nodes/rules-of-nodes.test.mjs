import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { compile, print } from '@kube-rules/compiler'
import { changedNodes } from './changed-nodes.mjs'
import { writeRules } from './rules-of-nodes.mjs'

const NODE_NAMES = ['node-1', 'node-2', 'node-3']
const SERVICE = {
  kind: 'Service',
  metadata: { namespace: 'default', name: 'web' },
  spec: { clusterIP: '10.96.0.10', internalTrafficPolicy: 'Local', ports: [{ name: 'http', port: 80 }] },
}
const SLICE = {
  kind: 'EndpointSlice',
  metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.2.5'], nodeName: 'node-2' }],
}
const nodes = NODE_NAMES.map((name) => ({ kind: 'Node', metadata: { name } }))
const folder = mkdtempSync(join(tmpdir(), 'many-nodes-'))
const file = join(folder, 'cluster.json')
after(() => rmSync(folder, { recursive: true }))

const rulesIn = (folder) => readdirSync(folder).filter((name) => !name.startsWith('summary-'))

test('two worker threads write the same output as a separate compile for each node', async () => {
  writeFileSync(file, JSON.stringify({ kind: 'List', items: [SERVICE, SLICE, ...nodes] }))
  const rules = join(folder, 'rules')
  await writeRules(file, rules, { threads: 2 })
  assert.equal(rulesIn(rules).length, 2 * NODE_NAMES.length)
  for (const nodeName of NODE_NAMES) {
    const { families } = compile({ services: [SERVICE], endpointSlices: [SLICE], nodes }, { nodeName })
    for (const { family, state } of families) {
      assert.equal(readFileSync(join(rules, `${nodeName}.${family}`), 'utf8'), print(state))
    }
  }
})

test('two machines write the files that one machine writes', async () => {
  const divided = join(folder, 'divided')
  for (const machine of [0, 1]) await writeRules(file, divided, { threads: 2, machine, machines: 2 })
  assert.deepEqual(rulesIn(divided), rulesIn(join(folder, 'rules')))
  assert.deepEqual(changedNodes(join(folder, 'rules'), divided), [])
})

test('the nodes with other rules are found, with the number of lines', async () => {
  const moved = join(folder, 'moved.json')
  const slice = { ...SLICE, endpoints: [{ addresses: ['10.244.2.5'], nodeName: 'node-3' }] }
  writeFileSync(moved, JSON.stringify({ kind: 'List', items: [SERVICE, slice, ...nodes] }))
  const later = join(folder, 'later')
  await writeRules(moved, later, { threads: 1 })
  const changed = changedNodes(join(folder, 'rules'), later)
  assert.deepEqual(
    changed.map(({ nodeName, family }) => `${nodeName} ${family}`),
    ['node-2 IPv4', 'node-3 IPv4'],
  )
  const [lost, gained] = changed
  assert.ok(lost.removed > lost.added)
  assert.deepEqual([gained.removed, gained.added], [lost.added, lost.removed])
})

test('a failing worker thread fails the whole run', async () => {
  await assert.rejects(writeRules(join(folder, 'none.json'), join(folder, 'none'), { threads: 2 }), { code: 'ENOENT' })
})
