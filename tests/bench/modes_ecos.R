# Fracture modes by a general conic solver, to compare with: Rscript modes_ecos.R PROBLEM
# PROBLEM (written by modes_bench.cpp): elements, faces, modes wanted; masses; faces as "first second cost"; one initial
# guess a mode. Prints for each mode: seconds in the solver, convex problems, objective of the first of them, energy, and
# the faces with a jump (from 0).
suppressPackageStartupMessages({library(Matrix); library(ECOSolveR)})
x <- scan(commandArgs(TRUE)[1], quiet = TRUE)
n <- x[1]; m <- x[2]; wanted <- x[3]; at <- 3
take <- function(count) { values <- x[at + seq_len(count)]; at <<- at + count; values }
mass <- take(n)
faces <- matrix(take(3 * m), ncol = 3, byrow = TRUE)
guesses <- matrix(take(n * wanted), nrow = n)
D <- sparseMatrix(i = rep(seq_len(m), 2), j = c(faces[, 1], faces[, 2]) + 1, x = rep(c(1, -1), each = m), dims = c(m, n))
cost <- faces[, 3]
minus <- -Diagonal(m)
G <- as(as(rbind(cbind(D, minus), cbind(-D, minus)), "generalMatrix"), "CsparseMatrix")
found <- matrix(0, n, 0)
# The same relative tolerance as ours; objectives are made about 1.
solve <- function(guess) {
  rows <- rbind(guess * mass, t(found * mass), c(1, rep(0, n - 1)))
  A <- as(as(cbind(Matrix(rows, sparse = TRUE), Matrix(0, nrow(rows), m, sparse = TRUE)), "generalMatrix"), "CsparseMatrix")
  size <- sum(cost * abs(D %*% guess))
  control <- ecos.control(feastol = 1e-8, reltol = 1e-6, abstol = 1e-6, maxit = 200L)
  result <- ECOS_csolve(c = c(rep(0, n), cost / size), G = G, h = rep(0, 2 * m), dims = list(l = as.integer(2 * m), q = NULL, e = 0L),
                        A = A, b = c(1, rep(0, nrow(rows) - 1)), control = control)
  s <- result$x[seq_len(n)]
  s - sum(s * mass) / sum(mass)
}
for (k in seq_len(wanted)) {
  guess <- guesses[, k]; seconds <- 0; problems <- 0; first <- NA
  repeat {
    seconds <- seconds + system.time(s <- solve(guess))["elapsed"]
    problems <- problems + 1
    if (is.na(first)) first <- sum(cost * abs(D %*% s))
    s <- s / sqrt(sum(mass * s^2))
    change <- sqrt(sum(mass * (s - guess)^2))
    guess <- s
    if (change < 1e-4 || problems == 30) break
  }
  jump <- abs(as.vector(D %*% s))
  cat(sprintf("%.6f %d %.10g %.10g", seconds, problems, first, sum(cost * jump)), which(jump > 1e-3 * diff(range(s))) - 1, "\n")
  found <- cbind(found, s)
}
