import { compile } from '@kube-rules/compiler'
import { expect, it } from 'vitest'
import '../../src/entries/vitest.js'
import { SHOP } from '../support/shop.js'

const rules = compile(SHOP, { families: ['IPv4'], mode: 'ipvs', kubernetesVersion: '1.34' })
const toWeb = { origin: 'pod', destination: '10.96.0.10', destinationPort: 80 } as const

it('adds the matcher toReach', () => {
  expect(rules).toReach(toWeb, ['10.244.1.5:8080', '10.244.2.7:8080'])
  expect(rules).not.toReach({ ...toWeb, destinationPort: 81 })
  expect(() => expect(rules).not.toReach(toWeb)).toThrow('expected packets not to reach an endpoint')
  expect(() => expect(rules).toReach({ ...toWeb, destinationPort: 81 })).toThrow(
    'expected packets to reach an endpoint',
  )
})

it('adds the snapshot serializer', () => {
  const { ipvs } = rules.families[0]?.state ?? {}
  expect({ family: 'IPv4', ipvs }).toMatchInlineSnapshot(`
    -A -t 10.96.0.10:80 -s rr
    -a -t 10.96.0.10:80 -r 10.244.1.5:8080 -m -w 1
    -a -t 10.96.0.10:80 -r 10.244.2.7:8080 -m -w 1
    -A -t 192.0.2.80:80 -s rr
    -a -t 192.0.2.80:80 -r 10.244.1.5:8080 -m -w 1
    -a -t 192.0.2.80:80 -r 10.244.2.7:8080 -m -w 1
    -A -t 192.168.0.2:30080 -s rr
    -a -t 192.168.0.2:30080 -r 10.244.1.5:8080 -m -w 1
    -a -t 192.168.0.2:30080 -r 10.244.2.7:8080 -m -w 1
  `)
})
