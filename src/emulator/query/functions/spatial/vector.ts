/** A direction from the centre of the earth, of length 1. */
export type Vector = readonly [number, number, number]

/** The square of the eccentricity of the earth's ellipsoid (WGS84). */
const squaredEccentricity = 0.0066943799901413165

const radians = Math.PI / 180

/** Returns the direction of a place. The directions of an edge lie in one plane through the centre. */
export function vectorOf(longitude: number, latitude: number): Vector {
  const angle = latitude * radians
  const fromAxis = Math.cos(angle)
  const turn = (longitude % 360) * radians
  const height = (1 - squaredEccentricity) * Math.sin(angle)
  return unit([fromAxis * Math.cos(turn), fromAxis * Math.sin(turn), height])
}

/** Returns the longitude and the latitude of a direction. */
export function placeOf([x, y, z]: Vector): readonly [number, number] {
  const latitude = Math.atan2(z, (1 - squaredEccentricity) * Math.hypot(x, y))
  return [Math.atan2(y, x) / radians, latitude / radians]
}

export function dot(left: Vector, right: Vector): number {
  return left[0] * right[0] + left[1] * right[1] + left[2] * right[2]
}

/** Unlike `Math.hypot`, this is fast. */
export function lengthOfVector(vector: Vector): number {
  return Math.sqrt(dot(vector, vector))
}

export function cross(left: Vector, right: Vector): Vector {
  return [
    left[1] * right[2] - left[2] * right[1],
    left[2] * right[0] - left[0] * right[2],
    left[0] * right[1] - left[1] * right[0],
  ]
}

export function sum(left: Vector, right: Vector): Vector {
  return [left[0] + right[0], left[1] + right[1], left[2] + right[2]]
}

export function scaled(vector: Vector, factor: number): Vector {
  return [vector[0] * factor, vector[1] * factor, vector[2] * factor]
}

/** Returns the vector scaled to length 1. A vector of length 0 stays as it is. */
export function unit(vector: Vector): Vector {
  const length = lengthOfVector(vector)
  return length === 0 ? vector : scaled(vector, 1 / length)
}

/** Returns the vector from `start` to `end`. The result is exact if both are close to each other. */
export function difference(end: Vector, start: Vector): Vector {
  return [end[0] - start[0], end[1] - start[1], end[2] - start[2]]
}

/** Returns the angle between two directions. Even a small angle is exact. */
export function angleBetween(left: Vector, right: Vector): number {
  return Math.atan2(lengthOfVector(cross(left, right)), dot(left, right))
}
