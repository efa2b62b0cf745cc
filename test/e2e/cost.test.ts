import { describe, expect, it } from 'vitest'
import { cli, run } from './processes.js'

describe('stepward cost (R129)', () => {
  it('prints the cost of a job and of idle deployment units, and the sums', async () => {
    const { code, stdout } = await run(cli, ['cost', '--jobs-per-day', '10000'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/A JOB OF 3 STEPS +ONE PROCESS +ROLES APART/u)
    expect(stdout).toMatch(/write requests +4 +8/u)
    expect(stdout).toMatch(/10,000 jobs a day: .* RU\/s on average, .* million RU in 30 days/u)
  })

  it('prints the same figures as JSON with --json', async () => {
    const { stdout } = await run(cli, ['cost', '--json', '--steps', '1', '--jobs-per-day', '0'])
    const report = JSON.parse(stdout) as Record<string, unknown>
    expect(report).toMatchObject({
      jobs: { together: { writeRequests: 2 }, apart: { writeRequests: 4 } },
      meanCharge: (report['idle'] as { total: number }).total,
    })
  })

  it('reports all invalid options at once', async () => {
    const wrong = ['--steps', '0', '--document-kb', 'x', '--indexing', 'some', '--instances', '1.5']
    const { code, stderr } = await run(cli, ['cost', ...wrong])
    expect(code).toBe(2)
    for (const option of ['--steps "0"', '--document-kb "x"', '--indexing "some"', '--instances "1.5"']) {
      expect(stderr).toContain(option)
    }
  })
})
