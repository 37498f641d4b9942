import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { compile, print } from '@kube-rules/compiler'
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

test('two worker threads write the same output as a separate compile for each node', async () => {
  writeFileSync(file, JSON.stringify({ kind: 'List', items: [SERVICE, SLICE, ...nodes] }))
  const rules = join(folder, 'rules')
  await writeRules(file, rules, 2)
  assert.equal(readdirSync(rules).length, 2 * NODE_NAMES.length)
  for (const nodeName of NODE_NAMES) {
    const { families } = compile({ services: [SERVICE], endpointSlices: [SLICE], nodes }, { nodeName })
    for (const { family, state } of families) {
      assert.equal(readFileSync(join(rules, `${nodeName}.${family}`), 'utf8'), print(state))
    }
  }
})

test('a failing worker thread fails the whole run', async () => {
  await assert.rejects(writeRules(join(folder, 'none.json'), join(folder, 'none'), 2), { code: 'ENOENT' })
})
