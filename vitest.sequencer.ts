import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs files with property tests, which are the slowest, first, so that no worker ends long after the rest. */
export class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // A worker retains its modules only while the project is the same. Projects with few files run first: they cannot
    // occupy two workers, and would leave one idle at the end.
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
