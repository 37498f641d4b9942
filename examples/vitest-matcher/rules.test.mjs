import { readdirSync, readFileSync } from 'node:fs'
import { compile } from '@kube-rules/compiler'
import '@kube-rules/testing/vitest'
import { assumeMissing } from '@kube-rules/types/manifests'
import { parseManifests } from '@kube-rules/types/schema'
import { loadAll } from 'js-yaml'
import { expect, test } from 'vitest'

const folder = new URL('manifests/', import.meta.url)
const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))
const documents = files.sort().flatMap((name) => loadAll(readFileSync(new URL(name, folder), 'utf8')))
const manifests = parseManifests(documents, { namespace: 'default' })
const { objects } = assumeMissing({ objects: manifests, documents })

// The settings of kube-proxy in your cluster, and its version.
const configuration = { clusterCIDR: '10.244.0.0/16' }
const rulesIn = (mode) =>
  compile({ ...objects, configuration }, { mode, kubernetesVersion: '1.34', families: ['IPv4'] })

test('the manifests are valid', () => {
  expect(manifests.diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
})

test.each(['iptables', 'nftables'])('the rules in %s mode', (mode) => {
  const rules = rulesIn(mode)
  expect(rules.diagnostics).toEqual([])
  expect(rules).toMatchSnapshot()
})

test('pods reach the web server', () => {
  const { clusterIP } = objects.services.find(({ metadata }) => metadata.name === 'web').spec
  expect(rulesIn('nftables')).toReach({ origin: 'pod', destination: clusterIP, destinationPort: 80 })
})
