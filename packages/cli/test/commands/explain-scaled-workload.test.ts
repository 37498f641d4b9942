import { describe, expect, it } from 'vitest'
import { run } from '../support/run.js'

const manifest = (kind: string, replicas: number, labels = '{ app: web }') => `apiVersion: v1
kind: Service
metadata: { namespace: shop, name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: ${kind}
metadata: { namespace: shop, name: web-app }
spec:
  replicas: ${replicas}
  selector: { matchLabels: ${labels} }
  template: { metadata: { labels: ${labels} }, spec: { containers: [{ name: web }] } }
`

async function firstStep(objects: string): Promise<string | undefined> {
  const { stdout } = await run(['explain', '-f', 'shop.yaml', 'shop/web'], { files: { 'shop.yaml': objects } })
  return /(?<=^do:\n {2}1\. ).*\n.*/m.exec(stdout)?.[0].replace(/\s+/g, ' ')
}

describe('explain of a Service without endpoints', () => {
  it.each(['Deployment', 'StatefulSet'])('advises to scale its %s that has 0 replicas', async (kind) => {
    const command = `kubectl -n shop scale ${kind.toLowerCase()} web-app --replicas=1`
    expect(await firstStep(manifest(kind, 0))).toBe(`Scale ${kind} shop/web-app with kubectl: ${command}`)
  })

  it('advises to start a pod if no workload has its labels', async () => {
    expect(await firstStep(manifest('Deployment', 0, '{ app: other }'))).toMatch(
      /^Start a pod that has the labels app=web/,
    )
  })
})
