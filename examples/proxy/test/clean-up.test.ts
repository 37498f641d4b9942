import { expect, it } from 'vitest'
import { fakeMachine, SILENT } from '../bed/fake-node.js'
import { cleanUpNode } from '../src/clean-up.js'
import type { RunTool } from '../src/run-tool.js'

const FILTER = '*filter\n:INPUT ACCEPT [0:0]\n:KUBE-SERVICES - [0:0]\n:KUBE-PROXY-FIREWALL - [0:0]\nCOMMIT\n'

/** Cleans up a node whose iptables-restore fails some times. */
async function cleanUpAfter(failures: number) {
  const errors: string[] = []
  let left = failures
  const run: RunTool = async (tool) => {
    if (tool === 'iptables-save') return { status: 0, stdout: FILTER, stderr: '' }
    const fails = tool === 'iptables-restore' && left-- > 0
    return { status: fails ? 4 : 0, stdout: '', stderr: fails ? 'CHAIN_DEL failed: chain KUBE-PROXY-FIREWALL' : '' }
  }
  const { files } = fakeMachine()
  const log = { ...SILENT, error: (message: string) => void errors.push(message) }
  return { isClean: await cleanUpNode(run, files, ['IPv4'], log), errors }
}

it('the proxy repeats a clean-up if rules of a later mode used one of its chains', async () => {
  expect(await cleanUpAfter(1)).toEqual({ isClean: true, errors: [] })
})

it('a clean-up that fails twice reports the command and the mode', async () => {
  expect(await cleanUpAfter(100)).toMatchObject({
    isClean: false,
    errors: expect.arrayContaining(['a command failed', 'rules are left']),
  })
})
