import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile, type IpvsRenderOptions, type ResultOf, render } from '@kube-rules/compiler'
import type { Host } from '@kube-rules/types'
import { parseManifests } from '@kube-rules/types/schema'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '../src/cluster/parse-yaml.js'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

const VIEWS: readonly (readonly [string, IpvsRenderOptions])[] = [
  ['ipvs.ipv4.restore', { family: 'IPv4' }],
  ['ipvs.ipv4.listing', { family: 'IPv4', part: 'ipvsadm', style: 'listing' }],
]

const folders = readdirSync(FIXTURES, { withFileTypes: true }).filter((entry) => entry.isDirectory())

function compileFixture(folder: string): ResultOf<'ipvs'> {
  const path = `${FIXTURES}${folder}/`
  const cluster = parseManifests(parseYaml(readFileSync(`${path}cluster.yaml`, 'utf8')))
  const [host] = existsSync(`${path}host.yaml`) ? parseYaml(readFileSync(`${path}host.yaml`, 'utf8')) : []
  const result = compile({ ...cluster, host: host as Host | undefined }, { mode: 'ipvs' })
  if (result.mode !== 'ipvs') throw new Error(result.mode)
  return result
}

describe.each(folders.map(({ name }) => name))('fixtures/%s in mode ipvs', (folder) => {
  it.each(VIEWS)('%s', async (file, options) => {
    await expect(render(compileFixture(folder), options)).toMatchFileSnapshot(`${FIXTURES}${folder}/${file}`)
  })
})
