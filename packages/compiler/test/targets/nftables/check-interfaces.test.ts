import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'

const BRIDGE = { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cbr0' } }
const PREFIX = { detectLocalMode: 'InterfaceNamePrefix', detectLocal: { interfaceNamePrefix: 'veth' } }

it.each<[string, object, readonly string[]]>([
  [
    '1.34',
    BRIDGE,
    [
      'warning detectLocal.bridgeInterface this version of kube-proxy writes no rule in nftables mode while the node has no interface cbr0: nft looks it up when it loads the rules',
    ],
  ],
  [
    '1.31',
    PREFIX,
    [
      'warning detectLocal.interfaceNamePrefix this version of kube-proxy never writes a rule in nftables mode with interfaces veth*: nft accepts no prefix there, because it looks the interface up',
    ],
  ],
  ['1.35', BRIDGE, []],
  ['1.37', PREFIX, []],
  ['1.34', { clusterCIDR: '10.244.0.0/16' }, []],
])(
  'kube-proxy %s in nftables mode with the configuration %j gets the expected warnings',
  (kubernetesVersion, configuration, expected) => {
    const { diagnostics } = compile({ services: [], configuration }, { mode: 'nftables', kubernetesVersion })
    const found = diagnostics.filter(({ code }) => code === 'modeLimitation')
    expect(found.map(({ severity, path, message }) => `${severity} ${path} ${message}`)).toEqual(expected)
  },
)
