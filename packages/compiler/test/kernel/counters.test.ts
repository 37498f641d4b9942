import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import { diff } from '../../src/diff/diff.js'
import { at, service, slice } from '../support/objects.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { dumpTables } from './sandbox/dump.js'
import { inNewNamespace } from './sandbox/sandbox.js'
import { BACKENDS } from './sandbox/tools.js'
import { useSandbox } from './sandbox/use-sandbox.js'

// iptables-restore rejects a rule whose counter does not exist, and with it every other rule.

describe.each(BACKENDS)('the first sync of a node with nfacct and iptables-%s', (backend) => {
  const sandboxFor = useSandbox([`iptables-${backend}`, 'nfacct', 'network'])

  it('creates missing counters and keeps existing counters', async (context) => {
    const sandbox = await sandboxFor(context)
    const input = {
      services: [service({ type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] })],
      endpointSlices: [slice(at('10.244.1.5'))],
      configuration: { clusterCIDR: '10.244.0.0/16' },
      host: { nfacctCounters: true },
    }
    const result = compile(input, { nodeName: 'node-1', kubernetesVersion: '1.34' })
    await inNewNamespace(sandbox, async (run) => {
      await run(['nfacct', 'add', 'ct_state_invalid_dropped_pkts'])
      for (let round = 0; round < 2; round++)
        await runToolCommands(run, toCommands(diff(undefined, result), { backend }), backend)
      const { stdout } = await run(['nfacct', 'list'])
      const names = Array.from(stdout.matchAll(/= (\w+);/g), ([, name]) => name)
      expect(names.sort()).toEqual(['ct_state_invalid_dropped_pkts', 'localhost_nps_accepted_pkts'])
      expect(await dumpTables(run, 'IPv4', backend)).toContain('--nfacct-name  localhost_nps_accepted_pkts')
    })
  })
})
