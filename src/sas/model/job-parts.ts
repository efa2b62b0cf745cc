import { z } from 'zod'
import { json } from './plain-json.js'

/** The fields that a job has only if its workflow or its submission uses them. Old instances keep them. */
export const optionalJobParts = {
  /** The tags by which jobs are listed, each as `name=value`. */
  tags: z.array(z.string()).optional(),
  /** What the workflow returns, with references. Only clients and the scheduler that ends the job read it. */
  resultTemplate: json.optional(),
  /**
   * What the workflow returned, in a job that has ended as Processed. Missing if it is large. Clients then
   * find it from the template and the steps, so that large outputs are stored only once.
   */
  result: json.optional(),
}
