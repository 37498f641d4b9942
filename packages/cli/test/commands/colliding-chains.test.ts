import { expect, it, vi } from 'vitest'
import { COLLIDING_CLUSTERS } from '../../../compiler/test/support/colliding-clusters.js'
import { run } from '../support/run.js'

vi.mock('../../../compiler/src/internal/hash.js', async (importOriginal) => {
  const { withCollidingHashes } = await import('../../../compiler/test/support/colliding-hashes.js')
  return withCollidingHashes(await importOriginal<typeof import('../../../compiler/src/internal/hash.js')>())
})

it('verify diagnoses service ports with one chain name, although the rules have no drift', async () => {
  const { nodes, services, endpointSlices } = COLLIDING_CLUSTERS.both
  const kinds = { Node: nodes, Service: services, EndpointSlice: endpointSlices }
  const items = Object.entries(kinds).flatMap(([kind, objects]) =>
    objects.map((object) => ({ apiVersion: kind === 'EndpointSlice' ? 'discovery.k8s.io/v1' : 'v1', kind, ...object })),
  )
  const args = ['-f', 'a.json', '--node', 'node-1', '--kubernetes-version', '1.30']
  const files = { 'a.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) }
  const { stdout: rules } = await run(['print', ...args, '--format', 'save', '--family', '4'], { files })
  const { exitCode, stdout } = await run(['verify', ...args, '--dump', 'node.dump'], {
    files: { ...files, 'node.dump': rules },
  })
  expect(exitCode).toBe(0)
  expect(stdout.split('\n').slice(0, 5)).toEqual([
    'On node node-1, packets from a pod to 10.0.0.2:80/TCP reach 10.244.1.1:8080 of t/evil1:p instead of t/evil2:p: kube-proxy uses the same chains for both',
    expect.stringMatching(
      /^why: kube-proxy names chains by a hash .*; the same applies to packets to 1 other frontend$/,
    ),
    'do:',
    '  1. Give port p of Service t/evil2 another name, such as p-2; with kubectl:',
    '     kubectl -n t edit svc evil2',
  ])
  expect(stdout.match(/^why: /gm)).toHaveLength(1)
  expect(stdout.endsWith('\nno drift\n')).toBe(true)
})
