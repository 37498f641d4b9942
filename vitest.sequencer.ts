import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files with generated tests, which take longest, before the others, so that no worker ends long after the rest. */
export class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker keeps its modules only while the project stays the same. Those of few files first: they do not keep two
    // workers busy, and would keep one waiting in the end.
    const sizeOf = (name: string) => sorted.filter(({ project }) => project.name === name).length
    const names = new Set(sorted.map(({ project }) => project.name))
    const projects = [...names].sort((a, b) => sizeOf(a) - sizeOf(b))
    return projects.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name)
      const long = new Set(own.filter(({ moduleId }) => readFileSync(moduleId, 'utf8').includes("from 'fast-check'")))
      return [...long, ...own.filter((file) => !long.has(file))]
    })
  }
}
