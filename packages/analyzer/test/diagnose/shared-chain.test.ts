import { describe, expect, it, vi } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { print } from '../../../compiler/src/print/print.js'
import { COLLIDING_CLUSTERS, COLLIDING_OPTIONS } from '../../../compiler/test/support/colliding-clusters.js'
import { diagnoseDump, diagnoseOnly, diagnoseQuestion } from './diagnosed-packet.js'

vi.mock('../../../compiler/src/internal/hash.js', async (importOriginal) => {
  const { withCollidingHashes } = await import('../../../compiler/test/support/colliding-hashes.js')
  return withCollidingHashes(await importOriginal<typeof import('../../../compiler/src/internal/hash.js')>())
})

const DUMPS = { 'compiled rules': undefined, 'a dump': (rules: string) => rules }

describe.each(['1.20', '1.24', '1.34'])('two service ports with one chain in %s', (kubernetesVersion) => {
  const options = { mode: 'iptables', kubernetesVersion } as const

  it.each(Object.keys(DUMPS) as (keyof typeof DUMPS)[])('are the cause, in %s', (name) => {
    const question = {
      input: COLLIDING_CLUSTERS.both,
      options,
      dump: DUMPS[name],
      from: 'pod',
      to: '10.0.0.2:80',
    } as const
    expect(diagnoseOnly(question)).toMatchObject({
      code: 'sharedChain',
      summary:
        'On node node-1, packets from a pod to 10.0.0.2:80/TCP reach 10.244.1.1:8080 of t/evil1:p instead of t/evil2:p: kube-proxy uses the same chains for both',
      cause: expect.stringMatching(
        /^kube-proxy names chains by a hash of the namespace, the Service and the port, and both hashes are equal; KUBE-SVC-[A-Z2-7]{16} has the rules of both, and those of t\/evil1:p come first$/,
      ),
      steps: [
        {
          text: 'Give port p of Service t/evil2 another name, such as p-2; with kubectl',
          command: 'kubectl -n t edit svc evil2',
          change: { kind: 'renamePort', namespace: 't', name: 'evil2', from: 'p', to: 'p-2' },
          outcome: 'the packets reach 10.244.1.2:8080',
        },
      ],
      object: 'Service t/evil2',
    })
  })

  it('are the cause in a dump without objects, by the comments of the rules', () => {
    const [family] = compile(COLLIDING_CLUSTERS.both, { ...COLLIDING_OPTIONS, kubernetesVersion }).families
    if (family === undefined) throw new Error('IPv4 was not compiled')
    const dump = print(family.state, { format: 'save' })
    const ask = (to: string) => diagnoseDump({ dump, to, addresses: ['192.168.0.2'] })
    expect(ask('10.0.0.1:80')).toEqual([])
    expect(ask('10.0.0.2:80')).toMatchObject([
      {
        code: 'sharedChain',
        summary:
          'Packets from a pod to 10.0.0.2:80/TCP reach 10.244.1.1:8080 of t/evil1:p instead of t/evil2:p: kube-proxy uses the same chains for both',
        steps: [{ command: 'kubectl -n t edit svc evil2' }],
        object: 'Service t/evil2',
      },
    ])
  })

  it('are no cause if the packet reaches its own endpoints', () => {
    for (const input of [COLLIDING_CLUSTERS.both, COLLIDING_CLUSTERS.second]) {
      const to = input === COLLIDING_CLUSTERS.both ? '10.0.0.1:80' : '10.0.0.2:80'
      expect(diagnoseQuestion({ input, options, from: 'outside', to })).toEqual([])
    }
  })
})
